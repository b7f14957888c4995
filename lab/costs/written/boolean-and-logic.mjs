export const parameters = { weight: 2 };

export function triplet(ij, jk, p) {
  const stopped = Math.abs(jk.dx) < 0.5 && Math.abs(jk.dy) < 0.5;
  const moved = !(Math.abs(ij.dx) < 0.5 && Math.abs(ij.dy) < 0.5);
  return stopped && moved ? p.weight : Math.abs(jk.dx - ij.dx) * 0.1;
}
