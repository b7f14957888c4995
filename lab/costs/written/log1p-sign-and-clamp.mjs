export const parameters = { scale: 3 };

export function triplet(ij, jk, p) {
  const turn = Math.sign(ij.dx * jk.dy - ij.dy * jk.dx);
  const size = Math.min(Math.max(Math.abs(jk.dx - ij.dx), 0.5), 20);
  return Math.log1p(size / p.scale) + (turn < 0 ? 0.5 : 0);
}
