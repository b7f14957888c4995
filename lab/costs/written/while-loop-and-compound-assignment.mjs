export const parameters = { weight: 2 };

export function triplet(ij, jk, p) {
  let angle = Math.atan2(jk.dy, jk.dx) - Math.atan2(ij.dy, ij.dx);
  while (angle > Math.PI) angle -= 2 * Math.PI;
  while (angle < -Math.PI) angle += 2 * Math.PI;
  let cost = Math.abs(angle);
  cost *= p.weight;
  return cost;
}
