/**
 * The roots of a polynomial in [low, high], in ascending order; roots of even multiplicity may be missed. The roots of the derivative,
 * found the same way, divide the interval into pieces with at most one root each, and Brent's method closes in on it.
 * @param polynomial coefficients from the highest power down
 */
export function rootsBetween(polynomial: readonly number[], low: number, high: number): number[] {
  const degree = polynomial.length - 1;
  if (degree < 1) return [];
  const derivative = polynomial.slice(0, -1).map((coefficient, d) => (degree - d) * coefficient);
  const roots: number[] = [];
  let a = low;
  let valueOfA = evaluate(polynomial, a);
  if (valueOfA === 0) roots.push(a);
  for (const b of [...rootsBetween(derivative, low, high), high]) {
    const valueOfB = evaluate(polynomial, b);
    if (valueOfB === 0) roots.push(b);
    else if (valueOfA * valueOfB < 0) roots.push(closeIn(polynomial, a, b, valueOfA, valueOfB));
    a = b;
    valueOfA = valueOfB;
  }
  return roots;
}

/** By Horner's rule, from the highest power down. */
function evaluate(polynomial: readonly number[], x: number): number {
  let value = 0;
  for (const coefficient of polynomial) value = value * x + coefficient;
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
      [a, b, c] = [b, c, b];
      [fa, fb, fc] = [fb, fc, fb];
    }
    const tolerance = Number.EPSILON * Math.max(1, Math.abs(a), Math.abs(b));
    const half = 0.5 * (c - b);
    if (Math.abs(half) <= tolerance) return b;
    const interpolated =
      Math.abs(stepBefore) < tolerance || Math.abs(fa) <= Math.abs(fb)
        ? null
        : interpolatedStep([a, b, c], [fa, fb, fc], half, tolerance, stepBefore);
    [stepBefore, step] = interpolated === null ? [half, half] : [step, interpolated];
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
  [a, b, c]: readonly [number, number, number],
  [fa, fb, fc]: readonly [number, number, number],
  half: number,
  tolerance: number,
  stepBefore: number,
): number | null {
  const s = fb / fa;
  let p = 2 * half * s;
  let q = 1 - s;
  if (a !== c) {
    const [ac, bc] = [fa / fc, fb / fc];
    p = s * (2 * half * ac * (ac - bc) - (b - a) * (bc - 1));
    q = (ac - 1) * (bc - 1) * (s - 1);
  }
  if (p > 0) q = -q;
  else p = -p;
  return 2 * p < 3 * half * q - Math.abs(tolerance * q) && p < Math.abs(0.5 * stepBefore * q) ? p / q : null;
}
