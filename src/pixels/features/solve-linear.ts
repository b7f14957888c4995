/** a x = b by elimination with pivots; a is n × n by rows. Null where it is singular: a pivot below 1e-12. */
export function solveLinear(matrix: Float64Array, right: Float64Array): Float64Array | null {
  const n = right.length;
  const [a, b] = [matrix.slice(), right.slice()];
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(a[r * n + c]) > Math.abs(a[pivot * n + c])) pivot = r;
    if (Math.abs(a[pivot * n + c]) < 1e-12) return null;
    for (let k = 0; k < n; k++) [a[c * n + k], a[pivot * n + k]] = [a[pivot * n + k], a[c * n + k]];
    [b[c], b[pivot]] = [b[pivot], b[c]];
    for (let r = c + 1; r < n; r++) {
      const factor = a[r * n + c] / a[c * n + c];
      for (let k = c; k < n; k++) a[r * n + k] -= factor * a[c * n + k];
      b[r] -= factor * b[c];
    }
  }
  for (let r = n - 1; r >= 0; r--) {
    for (let k = r + 1; k < n; k++) b[r] -= a[r * n + k] * b[k];
    b[r] /= a[r * n + r];
  }
  return b;
}
