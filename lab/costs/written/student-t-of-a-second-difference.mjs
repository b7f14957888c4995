export const parameters = { scale: 3, nu: 4 };

export function triplet(ij, jk, p) {
  const ax = jk.dx - ij.dx;
  const ay = jk.dy - ij.dy;
  return ((p.nu + 2) / 2) * Math.log(1 + (ax * ax + ay * ay) / (p.nu * p.scale * p.scale));
}
