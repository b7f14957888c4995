import type { BaselineMethod, BaselineRow } from "../../rows/baselines.js";
import { BASELINE_METHODS } from "../../rows/baselines.js";

/** A line for each input, fault and kind of velocities; a column for each method: link errors % / IDF1 %. The best of each are bold. */
export interface BaselineTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Geometric means of link errors over those of `default`, by method, over lines where both are known. */
  readonly ratios: readonly { readonly method: BaselineMethod; readonly ratio: number; readonly lines: number }[];
}

/** Added to both sides of a ratio, in percent, so that 0 has one. */
export const FLOOR = 0.1;

export function baselineTable(rows: readonly BaselineRow[]): BaselineTable {
  const methods = BASELINE_METHODS.filter((method) => rows.some((row) => row.method === method));
  const groups = new Map<string, BaselineRow[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.input, row.velocities, row.fault, row.level]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const lines = [...groups.values()].map((ofLine) => {
    const cells = methods.map((method) => meanOf(ofLine.filter((row) => row.method === method)));
    const least = Math.min(...cells.map((cell) => cell?.errors ?? Number.POSITIVE_INFINITY));
    const most = Math.max(...cells.map((cell) => cell?.idf1 ?? Number.NEGATIVE_INFINITY));
    return { line: ofLine[0], cells, least, most };
  });
  return {
    header: ["input", "velocities", "fault", ...methods],
    rows: lines.map(({ line, cells, least, most }) => [
      line.input,
      line.velocities,
      line.fault === "none" ? "–" : `${line.fault} ${line.level}`,
      ...cells.map((cell) => {
        if (cell === null) return "–";
        const bold = (text: string, best: boolean) => (best ? `**${text}**` : text);
        return `${bold(cell.errors.toFixed(1), cell.errors === least)} / ${bold(cell.idf1.toFixed(1), cell.idf1 === most)}`;
      }),
    ]),
    ratios: methods.flatMap((method) => {
      const [at, standard] = [methods.indexOf(method), methods.indexOf("default")];
      const both = lines.flatMap(({ cells }) => {
        const [other, ours] = [cells[at], standard < 0 ? null : cells[standard]];
        return other && ours ? [Math.log((other.errors + FLOOR) / (ours.errors + FLOOR))] : [];
      });
      if (both.length === 0 || method === "default") return [];
      return [{ method, ratio: Math.exp(both.reduce((a, b) => a + b, 0) / both.length), lines: both.length }];
    }),
  };
}

function meanOf(rows: readonly BaselineRow[]): { errors: number; idf1: number } | null {
  const known = rows.flatMap(({ scores }) =>
    typeof scores?.linkErrors === "number" && typeof scores.idf1 === "number"
      ? [{ errors: scores.linkErrors, idf1: scores.idf1 }]
      : [],
  );
  if (known.length === 0 || known.length < rows.length) return null;
  const mean = (pick: (one: (typeof known)[number]) => number) =>
    known.reduce((sum, one) => sum + pick(one), 0) / known.length;
  return { errors: mean(({ errors }) => errors), idf1: mean(({ idf1 }) => idf1) };
}
