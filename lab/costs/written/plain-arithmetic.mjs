export const parameters = { weight: 2 };

export function triplet(ij, jk, p) {
  return p.weight * ((jk.dx - ij.dx) * (jk.dx - ij.dx) + (jk.dy - ij.dy) * (jk.dy - ij.dy));
}
