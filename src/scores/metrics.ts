import type { Comparison } from "./comparison.js";
import type { Metric } from "./metric.js";
import { assA } from "./metrics/ass-a.js";
import { detA } from "./metrics/det-a.js";
import { falseLinks } from "./metrics/false-links.js";
import { fragments } from "./metrics/fragments.js";
import { gospa } from "./metrics/gospa.js";
import { hota } from "./metrics/hota.js";
import { idSwitches } from "./metrics/id-switches.js";
import { idf1 } from "./metrics/idf1.js";
import { itcp } from "./metrics/itcp.js";
import { linkErrors } from "./metrics/link-errors.js";
import { misses } from "./metrics/misses.js";
import { mmep } from "./metrics/mmep.js";
import { mota } from "./metrics/mota.js";
import { ospa } from "./metrics/ospa.js";
import { singles } from "./metrics/singles.js";
import { tracks } from "./metrics/tracks.js";

/** Every metric by its name in rows and on the command line, in the order of tables. A metric is one file and one line here. */
export const METRICS = {
  mmep,
  itcp,
  misses,
  falseLinks,
  linkErrors,
  idf1,
  hota,
  detA,
  assA,
  mota,
  idSwitches,
  fragments,
  tracks,
  singles,
  gospa,
  ospa,
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;

export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];

/** All metrics of one answer; null where a metric is not defined. */
export type Scores = Readonly<Record<MetricName, number | null>>;

/** Scores tracks against the truth; null where the truth has no link to find (docs/reference/scores.md). */
export function scoreTracks(comparison: Comparison): Scores | null {
  if (misses.of(comparison) === null) return null;
  return Object.fromEntries(METRIC_NAMES.map((name) => [name, METRICS[name].of(comparison)])) as Scores;
}

/** A metric's value with its unit, for people; "–" where it is not defined. */
export function formatScore(name: MetricName, value: number | null): string {
  if (value === null) return "–";
  const { unit } = METRICS[name];
  if (unit === "") return String(value);
  const digits = value === 0 ? "0" : Math.abs(value) < 1 ? value.toPrecision(2) : value.toFixed(2);
  return `${digits} ${unit}`;
}
