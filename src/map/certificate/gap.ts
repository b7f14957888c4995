/** Relative gap up to which ties are settled and large instances examined, and a run without a proof ends as a gap and not as a stall. */
export const EQUAL = 1e-9;

export function relativeGap(lowerBound: number, upperBound: number): number {
  const difference = Math.max(0, upperBound - lowerBound);
  if (difference === 0) return 0;
  return Number.isFinite(upperBound) ? difference / Math.abs(upperBound) : Number.POSITIVE_INFINITY;
}

/** Whether an answer is as close to the optimum as required: proved optimal, or its certified gap no larger. */
export function meetsGap(
  { status, gap }: { readonly status: string; readonly gap: number },
  required: number,
): boolean {
  return status === "optimal" || gap <= required;
}
