/** Relative gap below which bounds that went through f64 are equal. */
export const EQUAL = 1e-9;

export function relativeGap(lowerBound: number, upperBound: number): number {
  const difference = Math.max(0, upperBound - lowerBound);
  if (difference === 0) return 0;
  return Number.isFinite(upperBound) ? difference / Math.abs(upperBound) : Number.POSITIVE_INFINITY;
}

/** Whether a certified gap is as small as required; below EQUAL, where bounds that went through f64 are equal, it meets any requirement. */
export function meetsGap(gap: number, required: number): boolean {
  return gap <= Math.max(required, EQUAL);
}
