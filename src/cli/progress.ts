import { createRequire } from "node:module";
import type { SingleBar } from "cli-progress";
import type { ExactProgress } from "../map/exact/solve-exactly.js";
import type { HistoryRow } from "../map/solution.js";
import { formatNumber, formatPercent } from "./text.js";

export interface SolveProgress {
  pricing(done: number, total: number): void;
  solving(row: HistoryRow): void;
  exact(progress: ExactProgress): void;
  end(): void;
}

/** Shows a bar for the pricing and a line for the ascent on stderr; does nothing when `shown` is false. */
export function solveProgress(shown: boolean): SolveProgress {
  if (!shown) return { pricing() {}, solving() {}, exact() {}, end() {} };
  // Loaded for people who watch, and not for scripts.
  const { Presets, SingleBar }: typeof import("cli-progress") = createRequire(import.meta.url)("cli-progress");
  let bar: SingleBar | null = null;
  let phase = "";
  const enter = (name: string, format: string, total: number): SingleBar => {
    if (phase !== name) {
      bar?.stop();
      bar = new SingleBar({ format, clearOnComplete: true, stream: process.stderr, hideCursor: true }, Presets.rect);
      bar.start(total, 0, { lower: "", upper: "", gap: "", seconds: "" });
      phase = name;
    }
    return bar as SingleBar;
  };
  return {
    pricing(done, total) {
      enter("pricing", "pricing {bar} {percentage} %", total).update(done);
    },
    solving({ iteration, lowerBound, upperBound, gap, seconds }) {
      enter("solving", "iteration {value}  bound {lower}  tracks {upper}  gap {gap}  {seconds} s", 0).update(
        iteration,
        {
          lower: formatNumber(lowerBound),
          upper: formatNumber(upperBound),
          gap: formatPercent(100 * gap),
          seconds: seconds.toFixed(1),
        },
      );
    },
    exact({ lowerBound, upperBound, edges, triplets, cuts, leaves }) {
      const format = "exact  room {gap}  {edges} edges, {triplets} triplets  {cuts} cuts  {leaves} leaves";
      enter("exact", format, 0).update(0, {
        gap: formatNumber(upperBound - lowerBound),
        edges,
        triplets,
        cuts,
        leaves,
      });
    },
    end() {
      bar?.stop();
      bar = null;
      phase = "";
    },
  };
}
