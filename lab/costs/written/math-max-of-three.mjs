export const parameters = { scale: 3 };

export function triplet(ij, jk, p) {
  return Math.max(0, Math.abs(jk.dx - ij.dx) - p.scale, Math.abs(jk.dy - ij.dy) - p.scale);
}
