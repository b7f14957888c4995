export function triplet(ij, jk) {
  let best = Infinity;
  for (let k = 1; k <= 3; k++) {
    const value = Math.abs(jk.dx - k * ij.dx) + Math.abs(jk.dy - k * ij.dy);
    if (value < best) best = value;
  }
  return best;
}
