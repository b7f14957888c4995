export const parameters = { weight: 2 };

export function triplet(ij, jk, p) {
  const weight = p.weight ?? 1;
  return weight * Math.abs(jk.dx - ij.dx);
}
