export const parameters = { weight: 2, scale: 3 };

export const triplet = (ij, jk, { scale, weight }) => {
  const r2 = (jk.dx - ij.dx) ** 2 + (jk.dy - ij.dy) ** 2;
  const steady = 0.9 * Math.exp(-r2 / (2 * scale ** 2));
  const jump = 0.1 / (1 + r2 / weight);
  return -Math.log(steady + jump);
};
