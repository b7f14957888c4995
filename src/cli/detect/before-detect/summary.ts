/** Words and JSON about the detections of `rmap detect --method before-detect`. */
import type { OutputFrame } from "../../../pixels/before-detect/detect.js";
import type { BeforeDetectOptions } from "../../../pixels/before-detect/options.js";
import type { Calibration } from "../../../run/before-detect.js";
import { type ScoredDetections, sigmaOfFrames } from "../../../run/before-detect-scores.js";
import { type Device, ranOn } from "../../../run/device.js";
import type { TbdDevice } from "../../../run/tbd-device.js";
import type { Outcome } from "../../declaration/declaration.js";
import { andWhy, type Line, labelled, many, textOf, withProvenance } from "../../print.js";
import type { BeforeDetectFlags } from "./options.js";

/** Outputs of a sequence of images. */
export interface Sequence {
  readonly frames: number;
  readonly width: number;
  readonly height: number;
  readonly outputs: readonly OutputFrame[];
  readonly used: BeforeDetectOptions;
  readonly calibration: Calibration | null;
}

export interface Detected extends Sequence {
  readonly inputs: readonly string[];
  readonly scored: ScoredDetections | null;
  /** Files. */
  readonly written: readonly string[];
  readonly times: TbdDevice["times"] & { readonly total: number };
  /** Last frame of the truth, 0 without one. */
  readonly lastTrue: number;
  readonly interrupted: boolean;
}

type Ran = Pick<Device, "actual" | "why">;

export function summarize(detected: Detected, flags: BeforeDetectFlags, device: Ran): Outcome {
  const { inputs, frames, width, height, outputs, used, calibration, scored, written, times } = detected;
  const found = outputs.reduce((sum, { detections }) => sum + detections.length, 0);
  const vectors = used.vectors.length;
  const last = outputs.at(-1);
  const notes = notesOf(detected, flags);
  const json = {
    input: inputs,
    frames,
    width,
    height,
    vectors,
    outputs: outputs.length,
    detections: found,
    threshold: last?.threshold ?? null,
    calibration,
    options: { ...used, vectors: undefined, background: flags.background, prefilter: flags.prefilter },
    sigma: sigmaOf(outputs, flags),
    device: ranOn({ requested: flags.device, ...device }),
    scores: scored && { ...scored.scores, target: undefined, theory: scored.theory },
    times,
    output: flags.output ?? null,
    state: flags.saveState ?? null,
    picture: flags.picture ?? null,
    notes,
  };
  const sequence = `${many(frames, "frame")} of ${width} × ${height}, ${many(vectors, "vector")}`;
  const lines: Line[] = [
    `${inputs.join(" ")}: ${sequence}: ${many(found, "detection")} in ${many(outputs.length, "output frame")}`,
    ...(last ? [["threshold", `z above ${last.threshold.toFixed(3)}${calibrationText(calibration)}`] as const] : []),
    ...(scored ? scoreLines(scored) : []),
    ["ran", `${device.actual}, ${times.total.toFixed(2)} s${andWhy(device.why)}`],
    ...notes.map(labelled),
    ...(written.length > 0 ? [["wrote", written.join(", ")] as const] : []),
  ];
  return { text: textOf(lines), json: withProvenance(json) };
}

/** σ of a frame's noise as given, or as the last output has it; null where it is not used. */
const sigmaOf = (outputs: readonly OutputFrame[], { sigma, alpha }: BeforeDetectFlags) =>
  sigma ?? sigmaOfFrames(outputs.at(-1), alpha);

/** The comment line of the CSV. */
export function metadata(outputs: readonly OutputFrame[], flags: BeforeDetectFlags): [string, string | number][] {
  const { alpha, decimation, dt, vectors } = flags;
  const sigma = sigmaOf(outputs, flags);
  return [
    ["dt", Number((decimation * (dt ?? 1)).toPrecision(12))],
    ["step", decimation],
    ["units", dt === undefined ? "px,px/frame" : "px,px/s"],
    ["source", "rmap detect, before-detect"],
    ["alpha", alpha],
    ["decimation", decimation],
    ["vectors", vectors.vectors.length],
    ["threshold", outputs.at(-1)?.threshold.toFixed(6) ?? "none"],
    ["sigma", sigma === null ? "none" : Number(sigma.toPrecision(6))],
    ["radius", flags.radius],
  ];
}

function notesOf(detected: Detected, flags: BeforeDetectFlags): string[] {
  const { frames, outputs, lastTrue, interrupted } = detected;
  const { decimation } = flags;
  const notes = flags.threshold === undefined ? noteOfFalseAlarms(detected, flags) : [];
  const rest = frames % decimation;
  if (outputs.length === 0) {
    const few = `${many(frames, "frame")} ${frames === 1 ? "is" : "are"} fewer than --decimation ${decimation}`;
    notes.push(`${few}: there is no output.`);
  } else if (rest > 0) notes.push(`Frames after the last output frame make no detections: ${rest}.`);
  if (interrupted) return [...notes, `Interrupted after ${many(frames, "frame")}.`];
  if (lastTrue >= frames) {
    const images = `there were ${many(frames, "image")}, of which frame 0 is the first`;
    notes.push(`The truth reaches to frame ${lastTrue}, and ${images}.`);
  }
  return notes;
}

/** False alarms beyond those asked for, against the truth, or else by what the states give reason to expect. */
function noteOfFalseAlarms(
  { outputs, scored }: Detected,
  { falseAlarms, background, calibrate }: BeforeDetectFlags,
): string[] {
  const expected = outputs.flatMap(({ expectedFalse }) => expectedFalse ?? []);
  const [found, frames] =
    scored === null
      ? [expected.reduce((sum, count) => sum + count, 0), expected.length]
      : [scored.scores.falseAlarms, scored.frames];
  const asked = falseAlarms * frames;
  if (found <= asked + 4 * Math.sqrt(asked) + 3) return [];
  const measured = `${Number((found / frames).toPrecision(2))} false alarms an output frame${scored === null ? " are to be expected" : ""}`;
  const remedies = [
    ...(background === "pixel" ? [] : ["--background pixel"]),
    ...(calibrate === true ? [] : ["--calibrate"]),
    "a higher --threshold",
  ];
  return [
    `${measured}, where ${falseAlarms} ${falseAlarms === 1 ? "was" : "were"} asked for: try ${remedies.join(", or ")}.`,
  ];
}

function calibrationText(calibration: Calibration | null): string {
  return calibration === null
    ? ""
    : `, calibrated by ${calibration.peaks} peaks in ${calibration.outputs} shuffled outputs`;
}

function scoreLines({ scores, theory }: ScoredDetections): Line[] {
  const shown = (value: number | null, digits = 3) => (value === null ? "none" : value.toFixed(digits));
  const bySnr = scores.bySnr.map(({ snr, detected }) => `SNR ${snr}: ${shown(detected)}`).join(", ");
  const promised = theory === null ? "" : `, theory for points on vectors ${shown(theory)}`;
  const errors = `position ${shown(scores.positionError)} px, velocity ${shown(scores.velocityError)} px/frame`;
  return [
    ["detected", `${scores.hits} of ${scores.targets}, P_d ${shown(scores.detected)}${promised}`],
    ...(scores.bySnr.length > 1 ? [["", bySnr] as const] : []),
    ["false", `${scores.falseAlarms}, ${shown(scores.falseAlarmsPerFrame, 2)} an output frame`],
    ["errors", `${errors}, right velocity ${shown(scores.rightVelocity)}`],
  ];
}
