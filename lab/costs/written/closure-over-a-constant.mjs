const SIGMA = 2.5;
export function triplet(ij, jk) {
  const ax = (jk.dx - ij.dx) / SIGMA;
  const ay = (jk.dy - ij.dy) / SIGMA;
  return 0.5 * (ax * ax + ay * ay);
}
