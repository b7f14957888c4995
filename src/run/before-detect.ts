/** From image sequences to detections with velocities: backgrounds, filters, thresholds by shuffled frames. */
import { InputError } from "../core/errors.js";
import type { Frame } from "../core/frame.js";
import { randomStreams } from "../core/random.js";
import { type Background, matchedFilter, valuesOf, withoutMedian } from "../pixels/before-detect/cpu.js";
import { detectBeforeTracking, type TbdFrame, type TbdSteps } from "../pixels/before-detect/detect.js";
import type { BeforeDetectOptions } from "../pixels/before-detect/options.js";
import { toGrey } from "../pixels/image.js";
import { fixedPattern, withoutPattern } from "./fixed-pattern.js";

export interface Preparation {
  readonly background: Background;
  /** σ of the matched filter in pixels, 0: none. */
  readonly prefilter: number;
}

/** Bytes of frames that are held for shuffling. */
const SHUFFLE_BYTES = 2 ** 30;
/** Noise peaks that a calibrated threshold rests on, at least. */
const CALIBRATION_PEAKS = 20;
const MOST_SHUFFLES = 20;
const SHUFFLE_SEED = 1;

/**
 * Frames as the recursion takes them, one at a time. `read` gives the sequence from its start; for the background "pixel" it is called
 * several times.
 */
export async function* preparedFrames(
  read: () => AsyncIterable<Frame>,
  { background, prefilter }: Preparation,
): AsyncGenerator<TbdFrame> {
  const pattern = background === "pixel" ? await fixedPattern(read) : null;
  for await (const frame of read()) {
    const plain = pattern !== null ? withoutPattern(toGrey(frame), pattern) : plainOf(frame, background === "frame");
    const prepared = prefilter === 0 ? plain : matchedFilter({ ...plain, pixels: valuesOf(plain) }, prefilter);
    yield { ...prepared, place: frame.place };
  }
}

/** Samples of one channel stay in their type. */
function plainOf(frame: Frame, centred: boolean): TbdFrame {
  const { width, height, channels, samples } = frame;
  const grey = channels === 1 ? { width, height, pixels: samples } : toGrey(frame);
  return centred ? withoutMedian(grey) : grey;
}

export interface Calibration {
  readonly threshold: number;
  /** Output frames of shuffled sequences, and peaks above the threshold in them. */
  readonly outputs: number;
  readonly peaks: number;
}

/**
 * The threshold on z that leaves `falseAlarms` maxima an output frame where the same frames come in random order: the noise is kept and the
 * motion destroyed. Whatever does not move in the images counts as noise, since it does not move in any order. Holds the sequence in memory.
 * @throws InputError for a sequence above 1 GiB, shorter than a pass, or without enough maxima
 */
export async function calibrateThreshold(
  frames: AsyncIterable<TbdFrame>,
  options: BeforeDetectOptions,
  steps: TbdSteps,
): Promise<Calibration> {
  const held: TbdFrame[] = [];
  for await (const frame of frames) {
    held.push(frame);
    if (held.length * frame.pixels.byteLength > SHUFFLE_BYTES) {
      throw new InputError(
        "--calibrate: the sequence is above 1 GiB and must be held; calibrate on a part of it, then give --threshold",
      );
    }
  }
  const outputs = Math.floor(held.length / options.decimation);
  if (outputs === 0) {
    throw new InputError(
      `--calibrate: ${held.length} frames make no output at decimation ${options.decimation}; give more frames`,
    );
  }
  const shuffles = Math.min(MOST_SHUFFLES, Math.ceil(CALIBRATION_PEAKS / (options.falseAlarms * outputs)));
  const wanted = Math.round(options.falseAlarms * outputs * shuffles);
  const scores: number[] = [];
  const random = randomStreams(SHUFFLE_SEED).next().value;
  for (let n = 0; n < shuffles; n++) {
    const order = Uint32Array.from(held.keys());
    random.shuffle(order);
    const shuffled = Array.from(order, (k) => held[k]);
    // Maxima of noise lie far above 1; a lower threshold only finds more of them.
    for await (const output of detectBeforeTracking(shuffled, { ...options, threshold: 1 }, steps)) {
      for (const { score } of output.detections) scores.push(score);
    }
  }
  scores.sort((a, b) => b - a);
  if (wanted < 1 || scores.length <= wanted) {
    throw new InputError(
      `--calibrate: ${scores.length} maxima in ${outputs * shuffles} shuffled outputs do not tell ${options.falseAlarms} false alarms a frame; give more frames or --threshold`,
    );
  }
  return { threshold: (scores[wanted - 1] + scores[wanted]) / 2, outputs: outputs * shuffles, peaks: wanted };
}
