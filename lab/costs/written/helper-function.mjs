export const parameters = { weight: 2 };

function angle(x, y) {
  return Math.atan2(y, x);
}
export function triplet(ij, jk, p) {
  let change = Math.abs(angle(jk.dx, jk.dy) - angle(ij.dx, ij.dy));
  if (change > Math.PI) change = 2 * Math.PI - change;
  return p.weight * change * change;
}
