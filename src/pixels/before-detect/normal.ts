/** Tail of the standard normal distribution and its inverse. */

/**
 * Q(x), the probability that a standard normal exceeds x, to 1e-13 of itself: Taylor's series of Φ about 0 (Abramowitz & Stegun
 * 26.2.11) for |x| < 3, and the continued fraction 26.2.14 beyond.
 */
export function normalTail(x: number): number {
  if (x < 0) return 1 - normalTail(-x);
  const density = Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
  if (x < 3) {
    let term = x;
    let sum = x;
    for (let n = 3; Math.abs(term) > 1e-17 * sum; n += 2) {
      term *= (x * x) / n;
      sum += term;
    }
    return 0.5 - density * sum;
  }
  let fraction = x;
  for (let n = 200; n >= 1; n--) fraction = x + n / fraction;
  return density / fraction;
}

/** The x with Q(x) = p, for 0 < p < 1: bisection to the last bit. */
export function inverseNormalTail(p: number): number {
  let [low, high] = [-40, 40];
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (normalTail(middle) > p) low = middle;
    else high = middle;
  }
}
