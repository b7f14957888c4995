export const parameters = { weight: 2, scale: 3 };

export function triplet(ij, jk, p) {
  const { weight, scale } = p;
  const [ax, ay] = [jk.dx - ij.dx, jk.dy - ij.dy];
  return (weight * (ax * ax + ay * ay)) / scale;
}
