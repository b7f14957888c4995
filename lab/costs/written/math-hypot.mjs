export const parameters = { scale: 3 };

export function triplet(ij, jk, p) {
  return Math.abs(Math.hypot(jk.dx, jk.dy) - Math.hypot(ij.dx, ij.dy)) / p.scale;
}
