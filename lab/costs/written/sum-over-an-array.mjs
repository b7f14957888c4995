export const parameters = { weight: 2 };

export function triplet(ij, jk, p) {
  let sum = 0;
  for (const d of [jk.dx - ij.dx, jk.dy - ij.dy]) sum += Math.abs(d) ** 1.5;
  return p.weight * sum;
}
