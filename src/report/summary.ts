import { max } from "d3-array";
import type { RunRow } from "../rows/results.js";
import { counted, formatNumber, formatSummary, summarise } from "./numbers.js";

/** A summary of the runs in plain sentences, and how many other rows there are. */
export function summaryOf(rows: readonly RunRow[], benches: number): string[] {
  if (rows.length === 0) return [`${counted(benches, "benchmark row")}, no runs.`];
  const sentences: string[] = [];
  const devices = [...new Set(rows.map(({ device }) => device.actual))].sort();
  const proved = rows.filter(({ status }) => status === "optimal").length;
  const unsolved = rows.filter(({ status, upperBound }) => status === "unsolved" || upperBound === null).length;
  const beside = benches > 0 ? `, and ${counted(benches, "benchmark row")}` : "";
  sentences.push(`${counted(rows.length, "run")} on ${devices.join(", ")}${beside}.`);
  const gaps = rows.map(({ gapPercent }) => gapPercent).filter((gap) => gap !== null);
  const gap = summarise(gaps);
  if (gap) {
    sentences.push(
      `${proved === 0 ? "None" : proved.toLocaleString("en-US")} of the runs ${proved === 1 ? "is" : "are"} proved optimal; the certified gap is ${formatNumber(gap.median)} % in the middle and ${formatNumber(max(gaps) ?? gap.median)} % at most.`,
    );
  }
  if (unsolved > 0) sentences.push(`${counted(unsolved, "run")} found no tracks.`);
  const scored = rows.flatMap(({ scores }) => (scores ? [scores] : []));
  if (scored.length > 0) {
    const of = (key: "mmep" | "itcp") =>
      formatSummary(summarise(scored.flatMap((scores) => (typeof scores[key] === "number" ? [scores[key]] : []))));
    sentences.push(
      `Where the truth is known (${counted(scored.length, "run")}), the median share of true links not found is MMEP ${of("mmep")} %, and that of targets with an error ITCP ${of("itcp")} %; first and third quartile in brackets.`,
    );
  }
  return [sentences.join(" ")];
}
