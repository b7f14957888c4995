import { dirname, extname, join } from "node:path";
import { InputError } from "../../../core/errors.js";
import type { TrueTarget } from "../../../core/found-target.js";
import type { Frame } from "../../../core/frame.js";
import { countFrames, readFrameFiles, readFrames } from "../../../files/images/frames.js";
import { encodeNpy } from "../../../files/npy-writer.js";
import { refuse } from "../../../files/refusal.js";
import { ensureFolder, writeWhole } from "../../../files/whole-file.js";
import { formatFoundTargets, readTruth } from "../../../formats/found-targets.js";
import { detectBeforeTracking, type OutputFrame, type TbdSteps } from "../../../pixels/before-detect/detect.js";
import type { BeforeDetectOptions } from "../../../pixels/before-detect/options.js";
import { toGrey } from "../../../pixels/image.js";
import { keypointsSvg } from "../../../report/features-svg.js";
import { calibrateThreshold, preparedFrames } from "../../../run/before-detect.js";
import { scoreBeforeDetect } from "../../../run/before-detect-scores.js";
import { requireImages } from "../../../run/flow.js";
import { openTbd, type TbdDevice } from "../../../run/tbd-device.js";
import { stretchedPicture } from "../../../run/underlay.js";
import { scoreDetections } from "../../../scores/found-targets.js";
import { now } from "../../clock.js";
import type { Outcome } from "../../declaration/declaration.js";
import { EXIT } from "../../exit.js";
import { Interrupt } from "../../interrupt.js";
import { many, notesOnce } from "../../print.js";
import type { Progress } from "../../progress.js";
import { detectMethod } from "../method.js";
import { type BeforeDetectFlags, beforeDetectOptions } from "./options.js";
import { type Detected, metadata, type Sequence, summarize } from "./summary.js";

export const beforeDetectMethod = detectMethod({
  summary: "targets below the noise, with velocities: frames added up along motion vectors (Mazurek 2010)",
  options: beforeDetectOptions,
  examples: [
    "rmap detect frames.npy --method before-detect -o detections.csv && rmap solve detections.csv -o tracks/",
    "rmap detect frames/ --method before-detect --background frame --prefilter 1 --radius 4 --vectors disc:2:0.3333",
    "ffmpeg -i video.mp4 -f yuv4mpegpipe - | rmap detect - --method before-detect --background frame",
  ],
  async run(inputs, flags, { progress }) {
    const begun = now();
    requirePictureFolder(flags);
    if (flags.output !== undefined) ensureFolder(dirname(flags.output));
    const truth = await readTruthOf(inputs, flags);
    if (inputs[0] === "-" && (flags.calibrate || flags.background === "pixel")) {
      throw new InputError(
        "before-detect: --calibrate and --background pixel read the sequence more than once; name a file",
      );
    }
    const device = await openTbd(flags.device, now, flags.profile === true);
    // A camera has no end: the first Ctrl-C ends the sequence, and the detections so far are written.
    const ending = new AbortController();
    const interrupt = new Interrupt(() => ending.abort());
    interrupt.listen();
    const options = { ...flags, note: notesOnce(), signal: ending.signal };
    const read = () => (inputs.length > 1 ? readFrameFiles(inputs, options) : readFrames(inputs[0], options));
    try {
      const sequence = await detectIn(read, flags, device.steps, progress, interrupt);
      return await outcomeOf(inputs, sequence, truth, flags, device, begun, interrupt.heard);
    } finally {
      interrupt.close();
      await device.close();
    }
  },
});

/** The true targets, null where they are not given; refuses those of other images. */
async function readTruthOf(inputs: readonly string[], flags: BeforeDetectFlags): Promise<readonly TrueTarget[] | null> {
  if (flags.truth === undefined) {
    if (flags.reach !== undefined || flags.scoreFrom > 0)
      throw new InputError("--reach and --score-from are for --truth; give the truth, or leave them out");
    return null;
  }
  const truth = readTruth(flags.truth);
  const images = inputs.length > 1 ? inputs.length : await countFrames(inputs[0], flags);
  if (images !== null) requireImages(flags.truth, lastFrameOf(truth), images);
  return truth;
}

const lastFrameOf = (truth: readonly TrueTarget[] | null) =>
  (truth ?? []).reduce((most, { frame }) => Math.max(most, frame), 0);

async function detectIn(
  read: () => AsyncIterable<Frame>,
  flags: BeforeDetectFlags,
  steps: TbdSteps,
  progress: Progress,
  interrupt: Interrupt,
): Promise<Sequence> {
  const options = optionsOf(flags);
  const calibration = flags.calibrate ? await calibrateThreshold(preparedFrames(read, flags), options, steps) : null;
  const used = calibration === null ? options : { ...options, threshold: calibration.threshold };
  const seen = { frames: 0, width: 0, height: 0 };
  const shown: { image?: Frame } = {};
  const kept = async function* () {
    for await (shown.image of read()) yield shown.image;
  };
  const counted = async function* () {
    for await (const frame of preparedFrames(kept, flags)) {
      seen.frames++;
      [seen.width, seen.height] = [frame.width, frame.height];
      progress.show("frame", seen.frames);
      yield frame;
      if (interrupt.heard) return;
    }
  };
  const outputs: OutputFrame[] = [];
  interrupt.answer();
  try {
    for await (const output of detectBeforeTracking(counted(), used, steps)) {
      outputs.push(output);
      if (flags.picture !== undefined && shown.image !== undefined)
        writePicture(flags.picture, output, shown.image, used.decimation);
    }
  } catch (error) {
    if (!interrupt.heard) throw error;
  }
  if (interrupt.heard && seen.frames === 0) process.exit(EXIT.interrupted);
  return { ...seen, outputs, used, calibration };
}

function optionsOf(flags: BeforeDetectFlags): BeforeDetectOptions {
  const { alpha, decimation, combine, falseAlarms, radius } = flags;
  return {
    vectors: flags.vectors.vectors,
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

/** Scores the detections, writes them and describes them. */
async function outcomeOf(
  inputs: readonly string[],
  sequence: Sequence,
  truth: readonly TrueTarget[] | null,
  flags: BeforeDetectFlags,
  { steps, why, times }: TbdDevice,
  begun: number,
  interrupted: boolean,
): Promise<Outcome> {
  const { outputs, used, width, height } = sequence;
  const reach = flags.reach ?? (flags.prefilter > 0 ? 3 : 2);
  const scored =
    truth === null
      ? null
      : scoreBeforeDetect(
          outputs,
          { file: flags.truth as string, targets: truth, reach, from: flags.scoreFrom },
          used,
          flags.prefilter,
        );
  const written: string[] = [];
  const write = (file: string | undefined, content: Parameters<typeof writeWhole>[1]) => {
    if (file === undefined) return;
    writeWhole(file, content);
    written.push(file);
  };
  const { output, saveState } = flags;
  if (saveState !== undefined) write(saveState, encodeNpy([used.vectors.length, height, width], await steps.state()));
  const all = truth === null ? null : scoreDetections(outputs, truth, reach);
  const rows = outputs.map((one, n) => (all === null ? one : { ...one, target: all.target[n] }));
  write(output, formatFoundTargets(rows, metadata(outputs, flags), flags.dt ?? 1));
  if (flags.picture !== undefined && outputs.length > 0) written.push(flags.picture);
  const seconds = now() - begun;
  const detected: Detected = {
    ...sequence,
    inputs,
    scored,
    written,
    times: { total: seconds, ...times },
    lastTrue: lastFrameOf(truth),
    interrupted,
  };
  return {
    ...summarize(detected, flags, { actual: steps.device, why }),
    code: interrupted ? EXIT.interrupted : undefined,
  };
}

function requirePictureFolder({ picture }: BeforeDetectFlags): void {
  if (picture !== undefined && extname(picture) === ".svg")
    refuse(picture, "is the name of one file, and each output frame has a picture", "name a folder");
}

/** Writes the picture of an output frame over the image that came last: a ring for each detection, and the way that it came since the output before. */
function writePicture(folder: string, { frame, detections }: OutputFrame, last: Frame, decimation: number): void {
  const column = (of: (detection: OutputFrame["detections"][number]) => number) => Float32Array.from(detections, of);
  ensureFolder(folder);
  const svg = keypointsSvg({
    title: `Frame ${frame}: ${many(detections.length, "target")}\nbefore-detect`,
    image: stretchedPicture(toGrey(last)),
    x: column(({ x }) => x),
    y: column(({ y }) => y),
    way: { x: column(({ vx }) => -decimation * vx), y: column(({ vy }) => -decimation * vy), images: decimation },
  });
  writeWhole(join(folder, `frame-${frame}.svg`), svg);
}
