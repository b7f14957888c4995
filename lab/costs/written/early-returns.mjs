export const parameters = { weight: 2 };

export function triplet(ij, jk, p) {
  const before = Math.sqrt(ij.dx * ij.dx + ij.dy * ij.dy);
  const after = Math.sqrt(jk.dx * jk.dx + jk.dy * jk.dy);
  if (before < 0.1 || after < 0.1) return 0;
  const cosine = (ij.dx * jk.dx + ij.dy * jk.dy) / (before * after);
  if (cosine > 1) return 0;
  if (cosine < -1) return p.weight * Math.PI;
  return p.weight * Math.acos(cosine);
}
