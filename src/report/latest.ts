/**
 * The rows without those that a later one replaces: of rows with the same key the one with the latest date, and among equal dates, or without
 * dates, the last in the order of the files.
 */
export function latestOfEach<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => readonly unknown[],
  dateOf: (row: Row) => string | undefined,
): Row[] {
  const latest = new Map<string, Row>();
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row));
    const before = latest.get(key);
    if (before === undefined || (dateOf(before) ?? "") <= (dateOf(row) ?? "")) latest.set(key, row);
  }
  return [...latest.values()];
}
