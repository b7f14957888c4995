import { parseRecording } from "../../formats/input.js";
import type { Scenario } from "../../formats/scenario.js";
import { DEVICE_CHOICES } from "../../gpu/adapter.js";
import { EQUAL, relativeGap } from "../../map/certificate/gap.js";
import { shownSoftware } from "../../rows/provenance.js";
import type { ResultRow } from "../../rows/results.js";
import { NATS_PER_DETECTION } from "../../run/run.js";
import { METRIC_NAMES, METRICS } from "../../scores/metrics.js";
import { bytesOfRecording, isByProbabilities, scenarioOfTask, sortedJson, stopOf, type Task } from "./task.js";

/** Difference of two numbers that went through JSON and one division, relative to them. */
const SAME = 1e-9;
/** The gap that proved tracks have at most, and up to which a gap counts as met whatever was asked for, in percent. */
const EQUAL_PERCENT = 100 * EQUAL;

const OUTCOMES = ["optimal", "gap", "stopped", "stalled", "unsolved"];

/**
 * The reason why a row that came back from a queue cannot be the row of a task, or null: another revision, another scenario or stop
 * rule, sizes that the input cannot have, a bound above the tracks, a status that the gap does not bear out. A worker is another
 * program on another machine, and its row is checked as far as possible without solving again.
 */
export function faultOfRow(row: ResultRow, task: Task): string | null {
  if (row.version !== task.version || row.revision !== task.revision) {
    return `it was made by ${shownSoftware(row)}, not by ${shownSoftware(task)}`;
  }
  const scenario = scenarioOfTask(task);
  if (row.name !== scenario.name)
    return `its name is ${JSON.stringify(row.name)}, not ${JSON.stringify(scenario.name)}`;
  return (
    faultOfDevice(row) ??
    faultOfStop(row, scenario) ??
    (row.status === "failed"
      ? faultOfFailure(row, task)
      : (faultOfBounds(row) ?? faultOfScenario(row, scenario) ?? faultOfSizes(row, scenario, task)))
  );
}

function faultOfDevice({ device: { requested, actual }, precision, threads, status }: ResultRow): string | null {
  if (!DEVICE_CHOICES.some((choice) => choice === requested)) return `its device ${JSON.stringify(requested)} is none`;
  if (status === "failed") return null;
  const onCpu = actual === "cpu";
  if ((requested === "cpu" && !onCpu) || (["gpu", "software"].includes(requested) && onCpu)) {
    return `it ran on ${JSON.stringify(actual)} where ${requested} was asked for`;
  }
  if ((precision === "f64") !== onCpu) return `it ran in ${precision} on ${JSON.stringify(actual)}`;
  return threads === 0 ? "it ran on no thread" : null;
}

function faultOfStop(
  { stop, ascent, iterations, seed, status, detections }: ResultRow,
  scenario: Scenario,
): string | null {
  const { ascent: asked, ...rules } = stopOf(scenario);
  if (ascent !== asked) return `its ascent is ${JSON.stringify(ascent)}, not ${asked}`;
  const { nats, ...stated } = stop ?? {};
  const mayStopByNats = scenario.solve.gap === undefined && isByProbabilities(scenario.pricing) && status !== "failed";
  const ownNats = mayStopByNats ? NATS_PER_DETECTION * detections : undefined;
  if (nats !== ownNats) return `its stop is at ${nats} nats, not at ${ownNats}`;
  if (sortedJson(stated) !== sortedJson(rules))
    return `its stop rules are ${sortedJson(stop)}, not ${sortedJson(rules)}`;
  if (iterations > rules.iterations) return `it made ${iterations} iterations of ${rules.iterations}`;
  const drawn = status === "failed" || !["detections", "instance"].includes(scenario.source.kind);
  const expected = drawn ? scenario.seed : null;
  return seed === expected ? null : `its seed is ${seed}, not ${expected}`;
}

function faultOfFailure(row: ResultRow, task: Task): string | null {
  if (row.error === undefined) return "it failed and does not say why";
  if ([row.lowerBound, row.upperBound, row.gapPercent, row.scores].some((value) => value !== null)) {
    return "it failed and has bounds or scores";
  }
  return sortedJson(row.scenario) === sortedJson(task.scenario) ? null : "it failed at another scenario";
}

function faultOfBounds({ status, lowerBound, upperBound, gapPercent, stop, error, scores }: ResultRow): string | null {
  if (!OUTCOMES.includes(status)) return `its status ${JSON.stringify(status)} is none`;
  if (error !== undefined) return `its status is ${status} and it has an error`;
  if ((upperBound === null) !== (status === "unsolved"))
    return `its status is ${status}, its tracks cost ${upperBound}`;
  const impossible = METRIC_NAMES.some((name) => METRICS[name].unit === "%" && (scores?.[name] ?? 0) > 100);
  if (scores !== null && (upperBound === null || impossible)) return "its scores are none";
  if (upperBound === null || lowerBound === null) {
    return gapPercent === null ? null : `its gap is ${gapPercent} % and a bound is not known`;
  }
  if (lowerBound - upperBound > SAME * Math.max(Math.abs(lowerBound), Math.abs(upperBound))) {
    return `its lower bound ${lowerBound} is above its tracks' cost ${upperBound}`;
  }
  const gap = 100 * relativeGap(lowerBound, upperBound);
  if (gapPercent === null ? Number.isFinite(gap) : Math.abs(gapPercent - gap) > SAME * gap) {
    return `its gap is ${gapPercent} %, that of its bounds ${gap} %`;
  }
  if (status === "gap" && upperBound - lowerBound <= (stop?.nats ?? 0)) return null;
  const claimed = { optimal: EQUAL_PERCENT, gap: Math.max(stop?.gapPercent ?? 0, EQUAL_PERCENT) }[status];
  const known = gapPercent ?? Number.POSITIVE_INFINITY;
  return claimed !== undefined && known > claimed * (1 + SAME)
    ? `its status is ${status} at a gap of ${gapPercent} %`
    : null;
}

function faultOfScenario({ scenario: given }: ResultRow, { source, pricing }: Scenario): string | null {
  const { kind } = source;
  const said = (given ?? {}) as { source?: { kind?: unknown; file?: unknown }; pricing?: unknown };
  if (sortedJson(said.pricing) !== sortedJson(pricing)) return "its costs, gate or births are others";
  const same =
    kind === "detections"
      ? said.source?.kind === kind && said.source.file === source.file
      : sortedJson(said.source) === sortedJson(source);
  return same ? null : "its source is another";
}

/** No instance comes from a queue, and the measurements of a belt are known only after simulating it. */
function faultOfSizes(row: ResultRow, { source }: Scenario, task: Task): string | null {
  if (source.kind === "belt") {
    return row.frames === source.frames ? null : `it has ${row.frames} frames, not ${source.frames}`;
  }
  const counts =
    source.kind === "detections"
      ? countsOf(source, task)
      : "targets" in source
        ? new Array<number>(source.frames).fill(source.targets)
        : [];
  const detections = counts.reduce((sum, count) => sum + count, 0);
  if (row.frames !== counts.length || row.detections !== detections) {
    const [is, has] = [`${row.detections} in ${row.frames} frames`, `${detections} in ${counts.length}`];
    return `its detections are ${is}, where the input has ${has}`;
  }
  const at = (p: number) => counts[p] ?? 0;
  // With births and deaths, which count as one more neighbour on either side.
  const links = counts.reduce((sum, count, p) => sum + count * (at(p + 1) + 2), 0);
  const triplets = counts.reduce((sum, count, p) => sum + count * (at(p - 1) + 1) * (at(p + 1) + 1), 0);
  if (row.edges > links) return `its ${row.edges} edges are more than the ${links} there can be`;
  return row.triplets > triplets ? `its ${row.triplets} triplets are more than the ${triplets} there can be` : null;
}

let last: { readonly key: string; readonly counts: readonly number[] } | null = null;

/** Detections of each frame; the runs of a sweep mostly share their recording. */
function countsOf({ file, reading }: Scenario["source"] & { kind: "detections" }, task: Task): readonly number[] {
  const key = sortedJson({ file, reading, recording: task.recording });
  if (last?.key === key) return last.counts;
  const { frames, frameStart } = parseRecording(file, bytesOfRecording(task), "ignored", reading).detections;
  last = { key, counts: Array.from({ length: frames }, (_, p) => frameStart[p + 1] - frameStart[p]) };
  return last.counts;
}
