import { performance } from "node:perf_hooks";
import { InvalidArgumentError, Option } from "commander";
import { InputError } from "../../core/errors.js";
import type { TrueTarget } from "../../core/found-target.js";
import { countFrames, readFrameFiles, readFrames } from "../../files/images/frames.js";
import { SAMPLE_TYPES, type SampleType } from "../../files/images/samples.js";
import { encodeNpy } from "../../files/npy-writer.js";
import { writeWhole } from "../../files/whole-file.js";
import { formatFoundTargets, readTruth, readVectors } from "../../formats/found-targets.js";
import { detectBeforeTracking, type OutputFrame } from "../../pixels/before-detect/detect.js";
import { probabilityOfDetection } from "../../pixels/before-detect/noise.js";
import {
  BEFORE_DETECT_DEFAULTS,
  type BeforeDetectOptions,
  COMBINATIONS,
  couplesVectors,
} from "../../pixels/before-detect/options.js";
import { BACKGROUNDS } from "../../pixels/before-detect/prepare.js";
import { checkVectors, type MotionVector, motionVectors } from "../../pixels/before-detect/vectors.js";
import { provenance } from "../../rows/provenance.js";
import { type Calibration, calibrateThreshold, type Preparation, preparedFrames } from "../../run/before-detect.js";
import { requireImages } from "../../run/flow.js";
import { openTbd } from "../../run/tbd-device.js";
import { type FoundScores, scoreDetections } from "../../scores/found-targets.js";
import { EXIT } from "../exit.js";
import { size } from "../flow-flags.js";
import { Interrupt } from "../interrupt.js";
import { inputFile, outputFile, reading } from "../named-files.js";
import { finite, integer, nonNegative, positive, seconds } from "../options.js";
import { many } from "../print.js";
import type { Detected, DetectFlags, DetectMethod } from "./method.js";
import { sigma } from "./options.js";

const DEFAULTS = BEFORE_DETECT_DEFAULTS;

interface TbdFlags extends DetectFlags {
  readonly vectors: readonly MotionVector[];
  readonly alpha: number;
  readonly decimation: number;
  readonly falseAlarms: number;
  readonly threshold?: number;
  readonly radius: number;
  readonly sigma?: number;
  readonly prefilter: number;
  readonly background: Preparation["background"];
  readonly switch: number;
  readonly combine: BeforeDetectOptions["combine"];
  readonly subpixel?: boolean;
  readonly calibrate?: true;
  readonly profile?: true;
  readonly dt?: number;
  readonly truth?: string;
  readonly match?: number;
  readonly scoreFrom: number;
  readonly saveState?: string;
  readonly size?: { readonly width: number; readonly height: number };
  readonly type?: SampleType;
}

export const beforeDetectMethod: DetectMethod = {
  description: "targets below the noise, with velocities: frames added up along motion vectors (Mazurek 2010)",
  options: [
    new Option("--vectors <set>", "motion vectors: disc:RADIUS[:SPACING] in pixels a frame, or a CSV with vx,vy")
      .argParser(reading(vectorsOf, ({ file }) => (file === null ? [] : [file])))
      .default({ vectors: motionVectors(2), file: null }, "disc:2"),
    new Option("--alpha <weight>", "weight of the past, 0 to 1; it remembers 1/(1 − α) frames")
      .argParser(finite)
      .default(DEFAULTS.alpha),
    new Option("--decimation <D>", "frames a pass; an output every D frames")
      .argParser(integer(1, 1000))
      .default(DEFAULTS.decimation),
    new Option("--false-alarms <n>", "expected an output frame").argParser(positive).default(DEFAULTS.falseAlarms),
    new Option("--threshold <z>", "least P / σ_P, instead of --false-alarms").argParser(finite),
    new Option("--calibrate", "threshold for --false-alarms by the same frames in random order"),
    new Option("--radius <pixels>", "a detection is the largest so far around")
      .argParser(integer(1, 100))
      .default(DEFAULTS.radius),
    sigma(),
    new Option("--prefilter <sigma>", "matched filter for Gaussian spots of that σ; 0: none")
      .argParser(prefilter)
      .default(0),
    new Option("--background <what>", "taken from the frames: their median, or each pixel's over the sequence")
      .choices(BACKGROUNDS)
      .default("none"),
    new Option("--switch <share>", "of a state that goes to the nearest other vectors in a frame")
      .argParser(nonNegative)
      .default(0),
    new Option("--combine <how>", "max: the largest of the nearest vectors instead of their sum")
      .choices(COMBINATIONS)
      .default("sum"),
    new Option("--subpixel", "positions between pixels, by a parabola"),
    ...movedToLab({
      "--state <type>": /^f32$/,
      "--variant <words>": /^(all|storage|,)+$/,
      "--workgroup <WxH>": /^32x8$/,
    }),
    new Option("--profile", "time every kernel on a GPU by its own clock"),
    new Option("--dt <seconds>", "time between frames; velocities are then px/s").argParser(seconds),
    new Option("--truth <file>", "score against it: CSV with frame,x,y,vx,vy,target[,snr], frames from 0").argParser(
      inputFile,
    ),
    new Option("--match <pixels>", "how near a hit is (default: 2; 3 with --prefilter)").argParser(nonNegative),
    new Option("--score-from <frame>", "first image that is scored, from 0").argParser(integer(0, 1e9)).default(0),
    new Option("--save-state <file>", "write P after the last frame (.npy, f32, vectors × height × width)").argParser(
      outputFile,
    ),
    new Option("--size <WxH>", "of raw frames").argParser(size),
    new Option("--type <name>", "of raw frames").choices(SAMPLE_TYPES),
  ],
  examples: [
    "rmap detect frames.npy --method before-detect -o detections.csv && rmap solve detections.csv -o tracks/",
    "rmap detect frames/ --method before-detect --background frame --prefilter 1 --radius 4 --vectors disc:2:0.3333",
    "ffmpeg -i video.mp4 -f yuv4mpegpipe - | rmap detect - --method before-detect --background frame",
  ],
  run: (inputs, flags) =>
    detect(inputs, { ...flags, ...(flags.vectors as ReturnType<typeof vectorsOf>) } as unknown as TbdFlags),
};

/** Options of earlier versions that chose kernels; what runs now as it did then is accepted. */
function movedToLab(accepted: Readonly<Record<string, RegExp>>): Option[] {
  return Object.entries(accepted).map(([name, still]) => {
    const parse = (text: string) => {
      if (still.test(text)) return text;
      throw new InvalidArgumentError(
        "Kernels other than the fastest moved to lab/tbd, which measures them: leave it out.",
      );
    };
    return new Option(name).argParser(parse).hideHelp();
  });
}

function vectorsOf(text: string): { vectors: MotionVector[]; file: string | null } {
  const disc = /^disc:([\d.]+)(?::([\d.]+))?$/.exec(text);
  if (disc !== null) {
    return { vectors: motionVectors(Number(disc[1]), disc[2] === undefined ? 1 : Number(disc[2])), file: null };
  }
  if (text.startsWith("disc"))
    throw new InvalidArgumentError("Give disc:RADIUS or disc:RADIUS:SPACING, as in disc:2:0.5.");
  const vectors = readVectors(inputFile(text));
  checkVectors(vectors, text);
  return { vectors, file: text };
}

function prefilter(text: string): number {
  const value = nonNegative(text);
  if (value > 100) throw new InvalidArgumentError("Give a σ of 0 to 100 pixels.");
  return value;
}

async function detect(inputs: readonly string[], flags: TbdFlags): Promise<Detected> {
  const now = () => performance.now() / 1000;
  const begun = now();
  const preparation: Preparation = flags;
  const truth = flags.truth === undefined ? null : readTruth(flags.truth);
  if (truth === null && (flags.match !== undefined || flags.scoreFrom > 0)) {
    throw new InputError("--match and --score-from are for --truth; give the truth, or leave them out");
  }
  const options = optionsOf(flags);
  const [input] = inputs;
  const lastTrue = (truth ?? []).reduce((most, { frame }) => Math.max(most, frame), 0);
  if (flags.truth !== undefined) {
    const images = inputs.length > 1 ? inputs.length : await countFrames(input, flags);
    if (images !== null) requireImages(flags.truth, lastTrue, images);
  }
  // A camera has no end: the first Ctrl-C ends the sequence, and what was found so far is written.
  const ending = new AbortController();
  const interrupt = new Interrupt(() => ending.abort());
  const read = () =>
    inputs.length > 1 ? readFrameFiles(inputs) : readFrames(input, { ...flags, signal: ending.signal });
  if (input === "-" && (flags.calibrate || flags.background === "pixel")) {
    throw new InputError(
      "before-detect: --calibrate and --background pixel read the sequence more than once; name a file",
    );
  }
  const { steps, times, close } = await openTbd(flags.device, now, flags.profile === true);
  interrupt.listen();
  try {
    const calibration = flags.calibrate
      ? await calibrateThreshold(preparedFrames(read, preparation), options, steps)
      : null;
    const used = calibration === null ? options : { ...options, threshold: calibration.threshold };
    let frames = 0;
    let shape = "";
    const counted = async function* () {
      for await (const frame of preparedFrames(read, preparation)) {
        frames++;
        shape = `${frame.width} × ${frame.height}`;
        if (process.stderr.isTTY && frames % 10 === 0) process.stderr.write(`\r\x1b[Kframe ${frames}`);
        yield frame;
        if (interrupt.heard) return;
      }
    };
    const outputs: OutputFrame[] = [];
    interrupt.answer();
    try {
      for await (const output of detectBeforeTracking(counted(), used, steps)) outputs.push(output);
    } catch (error) {
      if (!interrupt.heard) throw error;
    }
    if (interrupt.heard && frames === 0) process.exit(EXIT.interrupted);
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
    const scores = truth && scoresOf(outputs, truth, flags);
    const [width, height] = shape.split(" × ").map(Number);
    const written: string[] = [];
    if (flags.saveState !== undefined) {
      writeWhole(flags.saveState, encodeNpy([flags.vectors.length, height, width], await steps.state()));
      written.push(flags.saveState);
    }
    if (flags.output !== undefined) {
      const all = scores && scoreDetections(outputs, truth ?? [], matchOf(flags));
      const rows = outputs.map((output, n) => (all ? { ...output, target: all.target[n] } : output));
      writeWhole(flags.output, formatFoundTargets(rows, metadata(outputs, flags), flags.dt ?? 1));
      written.push(flags.output);
    }
    const seconds = now() - begun;
    const notes = notesOf(frames, outputs, flags);
    if (lastTrue >= frames && !interrupt.heard) {
      notes.push(
        `The truth reaches to frame ${lastTrue}, and there were ${many(frames, "image")}, of which frame 0 is the first.`,
      );
    }
    if (interrupt.heard) {
      notes.push(`Interrupted after ${many(frames, "frame")}.`);
      process.exitCode = EXIT.interrupted;
    }
    const theory = truth && theoryOf(outputs, truth, flags);
    const found = outputs.reduce((sum, { detections }) => sum + detections.length, 0);
    const last = outputs.at(-1);
    const summary = {
      input: inputs,
      frames,
      width,
      height,
      vectors: flags.vectors.length,
      outputs: outputs.length,
      detections: found,
      threshold: last?.threshold ?? null,
      calibration,
      options: { ...used, vectors: undefined, background: flags.background, prefilter: flags.prefilter },
      sigma: sigmaOf(outputs, flags),
      device: { requested: flags.device, actual: steps.device },
      scores: scores && { ...scores, target: undefined, theory },
      times: { total: seconds, ...times },
      output: flags.output ?? null,
      state: flags.saveState ?? null,
      notes,
    };
    const lines = [
      `${inputs.join(" ")}: ${many(frames, "frame")} of ${shape}, ${many(flags.vectors.length, "vector")}: ${many(found, "detection")} in ${many(outputs.length, "output frame")}`,
      ...(last ? [`  threshold   z above ${last.threshold.toFixed(3)}${calibrationText(calibration)}`] : []),
      ...(scores ? scoreLines(scores, theory) : []),
      `  ran         ${steps.device}, ${seconds.toFixed(2)} s`,
      ...notes.map((note) => `  note        ${note}`),
      ...(written.length > 0 ? [`  wrote       ${written.join(", ")}`] : []),
    ];
    return { text: `${lines.join("\n")}\n`, json: { ...summary, ...provenance(new Date()) } };
  } finally {
    interrupt.close();
    await close();
  }
}

function optionsOf(flags: TbdFlags): BeforeDetectOptions {
  const { vectors, alpha, decimation, combine, falseAlarms, radius } = flags;
  return {
    vectors,
    alpha,
    decimation,
    combine,
    switching: flags.switch,
    falseAlarms,
    threshold: flags.threshold ?? null,
    radius,
    sigma: flags.sigma ?? null,
    subpixel: flags.subpixel === true,
  };
}

const matchOf = (flags: TbdFlags) => flags.match ?? (flags.prefilter > 0 ? 3 : 2);

function scoresOf(outputs: readonly OutputFrame[], truth: readonly TrueTarget[], flags: TbdFlags): FoundScores {
  const scored = outputs.filter(({ frame }) => frame >= flags.scoreFrom);
  if (scored.length === 0) {
    throw new InputError(
      `${flags.truth}: there is no output frame from ${flags.scoreFrom} on to score; give more frames`,
    );
  }
  return scoreDetections(scored, truth, matchOf(flags));
}

/** The mean P_d that theory gives for point targets on vectors in white noise, over the same targets and frames; null where it gives none. */
function theoryOf(outputs: readonly OutputFrame[], truth: readonly TrueTarget[], flags: TbdFlags): number | null {
  if (couplesVectors(optionsOf(flags)) || flags.prefilter > 0) return null;
  const entered = new Map<number, number>();
  for (const { target, frame } of truth) entered.set(target, Math.min(frame, entered.get(target) ?? frame));
  let sum = 0;
  let count = 0;
  for (const { frame, threshold } of outputs) {
    if (frame < flags.scoreFrom) continue;
    for (const one of truth) {
      if (one.frame !== frame) continue;
      if (one.snr === null) return null;
      const age = frame - (entered.get(one.target) ?? 0) + 1;
      sum += probabilityOfDetection(one.snr, flags.alpha, frame + 1, threshold, age);
      count++;
    }
  }
  return count === 0 ? null : sum / count;
}

/** σ_X as given, or as the last output has it; null where it is not used. */
function sigmaOf(outputs: readonly OutputFrame[], { sigma, alpha }: TbdFlags): number | null {
  const last = outputs.at(-1);
  if (sigma !== undefined) return sigma;
  if (last === undefined || last.sigma === null) return null;
  return last.sigma / ((1 - alpha) * Math.sqrt((1 - alpha ** (2 * (last.frame + 1))) / (1 - alpha * alpha)));
}

function metadata(outputs: readonly OutputFrame[], flags: TbdFlags): [string, string | number][] {
  const { alpha, decimation, dt, vectors } = flags;
  const sigma = sigmaOf(outputs, flags);
  return [
    ["dt", Number((decimation * (dt ?? 1)).toPrecision(12))],
    ["step", decimation],
    ["units", dt === undefined ? "px,px/frame" : "px,px/s"],
    ["source", "rmap detect, before-detect"],
    ["alpha", alpha],
    ["decimation", decimation],
    ["vectors", vectors.length],
    ["threshold", outputs.at(-1)?.threshold.toFixed(6) ?? "none"],
    ["sigma", sigma === null ? "none" : Number(sigma.toPrecision(6))],
    ["radius", flags.radius],
  ];
}

function notesOf(frames: number, outputs: readonly OutputFrame[], { decimation }: TbdFlags): string[] {
  const rest = frames % decimation;
  if (outputs.length === 0) {
    return [
      `${many(frames, "frame")} ${frames === 1 ? "is" : "are"} fewer than --decimation ${decimation}: there is no output.`,
    ];
  }
  return rest === 0 ? [] : [`Frames after the last output frame make no detections: ${rest}.`];
}

function calibrationText(calibration: Calibration | null): string {
  return calibration === null
    ? ""
    : `, calibrated by ${calibration.peaks} peaks in ${calibration.outputs} shuffled outputs`;
}

function scoreLines(scores: FoundScores, theory: number | null): string[] {
  const shown = (value: number | null, digits = 3) => (value === null ? "none" : value.toFixed(digits));
  const bySnr = scores.bySnr.map(({ snr, detected }) => `SNR ${snr}: ${shown(detected)}`).join(", ");
  return [
    `  detected    ${scores.hits} of ${scores.targets}, P_d ${shown(scores.detected)}${theory === null ? "" : `, theory for points on vectors ${shown(theory)}`}`,
    ...(scores.bySnr.length > 1 ? [`              ${bySnr}`] : []),
    `  false       ${scores.falseAlarms}, ${shown(scores.falseAlarmsPerFrame, 2)} an output frame`,
    `  errors      position ${shown(scores.positionError)} px, velocity ${shown(scores.velocityError)} px/frame, right velocity ${shown(scores.rightVelocity)}`,
  ];
}
