/**
 * The roots of a polynomial in [low, high], in ascending order; roots of even multiplicity may be missed. The roots of the derivative,
 * found the same way, divide the interval into pieces with at most one root each, and Brent's method closes in on it.
 * @param polynomial coefficients from the highest power down
 */
export function rootsBetween(polynomial: readonly number[], low: number, high: number): number[] {
  const degree = polynomial.length - 1;
  if (degree < 1 || isFarFromZero(polynomial, Math.max(Math.abs(low), Math.abs(high)))) return [];
  const derivative: number[] = [];
  for (let d = 0; d < degree; d++) derivative.push((degree - d) * polynomial[d]);
  const turns = rootsBetween(derivative, low, high);
  const roots: number[] = [];
  let a = low;
  let valueOfA = evaluate(polynomial, a);
  if (valueOfA === 0) roots.push(a);
  for (let n = 0; n <= turns.length; n++) {
    const b = n < turns.length ? turns[n] : high;
    const valueOfB = evaluate(polynomial, b);
    if (valueOfB === 0) roots.push(b);
    else if (valueOfA * valueOfB < 0) roots.push(closeIn(polynomial, a, b, valueOfA, valueOfB));
    a = b;
    valueOfA = valueOfB;
  }
  return roots;
}

/** Whether the constant term exceeds all others together, by more than their rounding, wherever |x| ≤ most. */
function isFarFromZero(polynomial: readonly number[], most: number): boolean {
  let others = 0;
  for (let d = 0; d < polynomial.length - 1; d++) others = (others + Math.abs(polynomial[d])) * most;
  return Math.abs(polynomial[polynomial.length - 1]) > 1.001 * others;
}

/** By Horner's rule, from the highest power down. */
function evaluate(polynomial: readonly number[], x: number): number {
  let value = 0;
  for (let d = 0; d < polynomial.length; d++) value = value * x + polynomial[d];
  return value;
}

/**
 * The root between two places of opposite signs: R. P. Brent, Algorithms for Minimization without Derivatives, 1973, chapter 4. The
 * last place is `a`, the best one `b`, and the root lies between `b` and `c`.
 */
function closeIn(
  polynomial: readonly number[],
  low: number,
  high: number,
  valueLow: number,
  valueHigh: number,
): number {
  let [a, b, c] = [low, high, low];
  let [fa, fb, fc] = [valueLow, valueHigh, valueLow];
  let step = b - a;
  let stepBefore = step;
  for (;;) {
    if (Math.abs(fc) < Math.abs(fb)) {
      a = b;
      b = c;
      c = a;
      fa = fb;
      fb = fc;
      fc = fa;
    }
    const tolerance = Number.EPSILON * Math.max(1, Math.abs(a), Math.abs(b));
    const half = 0.5 * (c - b);
    if (Math.abs(half) <= tolerance) return b;
    const interpolated =
      Math.abs(stepBefore) < tolerance || Math.abs(fa) <= Math.abs(fb)
        ? null
        : interpolatedStep(a, b, c, fa, fb, fc, half, tolerance, stepBefore);
    stepBefore = interpolated === null ? half : step;
    step = interpolated ?? half;
    a = b;
    fa = fb;
    b += tolerance < Math.abs(step) ? step : half > 0 ? tolerance : -tolerance;
    fb = evaluate(polynomial, b);
    if (fb === 0) return b;
    if (fb * fc > 0) {
      c = a;
      fc = fa;
      step = stepBefore = b - a;
    }
  }
}

/** The step from `b` by a secant, or by a parabola through three places; null where bisection is surer. */
function interpolatedStep(
  a: number,
  b: number,
  c: number,
  fa: number,
  fb: number,
  fc: number,
  half: number,
  tolerance: number,
  stepBefore: number,
): number | null {
  const s = fb / fa;
  let p = 2 * half * s;
  let q = 1 - s;
  if (a !== c) {
    const ac = fa / fc;
    const bc = fb / fc;
    p = s * (2 * half * ac * (ac - bc) - (b - a) * (bc - 1));
    q = (ac - 1) * (bc - 1) * (s - 1);
  }
  if (p > 0) q = -q;
  else p = -p;
  return 2 * p < 3 * half * q - Math.abs(tolerance * q) && p < Math.abs(0.5 * stepBefore * q) ? p / q : null;
}
