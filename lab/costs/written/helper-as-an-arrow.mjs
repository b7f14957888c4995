export const parameters = { weight: 2 };

const square = (a) => a * a;
export const triplet = (ij, jk, p) => {
  return Math.sqrt(square(jk.dx - ij.dx) + square(jk.dy - ij.dy)) * p.weight;
};
