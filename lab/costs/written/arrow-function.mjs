export const parameters = { weight: 2 };

export const triplet = (ij, jk, p) => p.weight * Math.abs(jk.dx - ij.dx) + Math.abs(jk.dy - ij.dy);
