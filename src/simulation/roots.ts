/** A polynomial of some degree, from the highest power down, and roots of it that were found. */
interface Room {
  readonly polynomial: Float64Array;
  readonly roots: Float64Array;
}

/** By degree; every search works in the same memory, since there are millions. */
const ROOMS: Room[] = [];

/** Where the coefficients of a polynomial are put before its root is sought. */
export function polynomialOf(degree: number): Float64Array {
  return roomOf(degree).polynomial;
}

function roomOf(degree: number): Room {
  ROOMS[degree] ??= { polynomial: new Float64Array(degree + 1), roots: new Float64Array(2 * degree + 1) };
  return ROOMS[degree];
}

/** The first root in [low, high] of the polynomial in `polynomialOf(degree)`, NaN where there is none; roots of even multiplicity may be missed. */
export function firstRoot(degree: number, low: number, high: number): number {
  return findRoots(degree, low, high, 1) > 0 ? roomOf(degree).roots[0] : Number.NaN;
}

/**
 * Finds roots in ascending order until there are `most`; returns how many. The roots of the derivative, found the same way, divide the interval into pieces with
 * at most one root each, and Brent's method closes in on it.
 */
function findRoots(degree: number, low: number, high: number, most: number): number {
  const { polynomial, roots } = roomOf(degree);
  if (degree < 1 || isFarFromZero(polynomial, Math.max(Math.abs(low), Math.abs(high)))) return 0;
  const below = roomOf(degree - 1);
  for (let d = 0; d < degree; d++) below.polynomial[d] = (degree - d) * polynomial[d];
  const turns = findRoots(degree - 1, low, high, Number.POSITIVE_INFINITY);
  let count = 0;
  let a = low;
  let valueOfA = evaluate(polynomial, a);
  if (valueOfA === 0) roots[count++] = a;
  for (let n = 0; n <= turns && count < most; n++) {
    const b = n < turns ? below.roots[n] : high;
    const valueOfB = evaluate(polynomial, b);
    if (valueOfB === 0) roots[count++] = b;
    else if (valueOfA * valueOfB < 0) roots[count++] = closeIn(polynomial, a, b, valueOfA, valueOfB);
    a = b;
    valueOfA = valueOfB;
  }
  return count;
}

/** Whether the constant term exceeds all others together, by more than their rounding, wherever |x| ≤ most. */
function isFarFromZero(polynomial: Float64Array, most: number): boolean {
  const last = polynomial.length - 1;
  let others = 0;
  for (let d = 0; d < last; d++) others = (others + Math.abs(polynomial[d])) * most;
  return Math.abs(polynomial[last]) > 1.001 * others;
}

/** By Horner's rule, from the highest power down. */
export function evaluate(polynomial: Float64Array, x: number): number {
  let value = 0;
  for (let d = 0; d < polynomial.length; d++) value = value * x + polynomial[d];
  return value;
}

/**
 * The root between two places of opposite signs: R. P. Brent, Algorithms for Minimization without Derivatives, 1973, chapter 4. The
 * last place is `a`, the best one `b`, and the root lies between `b` and `c`.
 */
function closeIn(polynomial: Float64Array, low: number, high: number, valueLow: number, valueHigh: number): number {
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
