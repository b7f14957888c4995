/** Bounds after an iteration; seconds since the start. */
export interface HistoryRow {
  readonly iteration: number;
  readonly lowerBound: number;
  readonly upperBound: number;
  readonly seconds: number;
}

/** history.csv: iteration,lowerBound,upperBound,seconds; a bound that is not finite yet is an empty cell. */
export function formatHistory(rows: Iterable<HistoryRow>): string {
  const cell = (value: number) => (Number.isFinite(value) ? String(value) : "");
  const lines = Array.from(
    rows,
    ({ iteration, lowerBound, upperBound, seconds }) =>
      `${iteration},${cell(lowerBound)},${cell(upperBound)},${cell(seconds)}`,
  );
  return ["iteration,lowerBound,upperBound,seconds", ...lines, ""].join("\n");
}
