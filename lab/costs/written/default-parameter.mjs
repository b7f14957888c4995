function huber(r, limit = 1.5) {
  return r < limit ? 0.5 * r * r : limit * (r - 0.5 * limit);
}
export function triplet(ij, jk) {
  return huber(Math.sqrt((jk.dx - ij.dx) * (jk.dx - ij.dx) + (jk.dy - ij.dy) * (jk.dy - ij.dy)));
}
