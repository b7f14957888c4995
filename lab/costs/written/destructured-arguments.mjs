export const parameters = { weight: 2 };

export function triplet({ dx: ax, dy: ay }, { dx: bx, dy: by }, { weight }) {
  return weight * Math.abs(ax * by - ay * bx);
}
