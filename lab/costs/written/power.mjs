export const parameters = { scale: 3 };

export function triplet(ij, jk, p) {
  return ((jk.dx - ij.dx) ** 2 + (jk.dy - ij.dy) ** 2) / p.scale ** 2;
}
