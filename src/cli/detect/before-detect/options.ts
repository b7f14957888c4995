/** The options of track-before-detect. */
import { InvalidArgumentError } from "commander";
import { readVectors } from "../../../formats/found-targets.js";
import { BACKGROUNDS } from "../../../pixels/before-detect/cpu.js";
import { BEFORE_DETECT_DEFAULTS, COMBINATIONS } from "../../../pixels/before-detect/options.js";
import { checkVectors, type MotionVector, motionVectors } from "../../../pixels/before-detect/vectors.js";
import { choice, type FlagsOf, gone, option, toggle } from "../../declaration/declaration.js";
import { inputFile, outputFile, reading } from "../../options/files.js";
import { rawFrames } from "../../options/images.js";
import { picture, reach } from "../../options/output.js";
import { profile } from "../../options/running.js";
import { finite, integer, nonNegative, positive } from "../../options/values.js";
import type { CommonFlags } from "../method.js";

const DEFAULTS = BEFORE_DETECT_DEFAULTS;

const MOVED = "Kernels other than the fastest moved to lab/tbd, which measures them: leave it out.";

/** Widest Gaussian of a matched filter. */
const MOST_SIGMA = 100;

export const beforeDetectOptions = {
  vectors: option(
    "--vectors <set>",
    "motion vectors: disc:RADIUS[:SPACING] in pixels a frame, or a CSV with vx,vy",
    reading(vectorsOf, ({ file }) => (file === null ? [] : [file])),
  ).or({ vectors: motionVectors(2), file: null }, "disc:2"),
  alpha: option("--alpha <weight>", "weight of the past, 0 to 1; it remembers 1/(1 − α) frames", finite).or(
    DEFAULTS.alpha,
  ),
  decimation: option("--decimation <D>", "frames a pass; there is an output every D frames", integer(1, 1000)).or(
    DEFAULTS.decimation,
  ),
  falseAlarms: option("--false-alarms <n>", "false alarms expected in an output frame", positive).or(
    DEFAULTS.falseAlarms,
  ),
  threshold: option("--threshold <z>", "least P / σ_P, instead of --false-alarms", finite),
  calibrate: toggle("--calibrate", "find the threshold for --false-alarms by the same frames in random order"),
  radius: option("--radius <pixels>", "a detection is the largest value this far around", integer(1, 100)).or(
    DEFAULTS.radius,
  ),
  sigma: option(
    "--sigma <level>",
    "standard deviation of a pixel's noise (default: of each frame, measured)",
    positive,
  ),
  prefilter: option("--prefilter <sigma>", "matched filter for Gaussian spots of this σ; 0: none", (text) => {
    const value = nonNegative(text);
    if (value <= MOST_SIGMA) return value;
    throw new InvalidArgumentError(`Give a σ of 0 to ${MOST_SIGMA} pixels.`);
  }).or(0),
  background: choice(
    "--background <what>",
    "background to subtract: frame, each frame's median; pixel, also each pixel's median over the sequence, under the light of the frame",
    BACKGROUNDS,
  ).or("none"),
  switch: option("--switch <share>", "share of a state that moves to the nearest other vectors", nonNegative).or(0),
  combine: choice(
    "--combine <how>",
    "how the states of the nearest vectors are combined: their sum, or the largest",
    COMBINATIONS,
  ).or("sum"),
  subpixel: toggle("--subpixel", "find positions between pixels, by a parabola"),
  state: gone("--state <type>", /^f32$/, MOVED),
  variant: gone("--variant <words>", /^(all|storage|,)+$/, MOVED),
  workgroup: gone("--workgroup <WxH>", /^32x8$/, MOVED),
  profile: profile(),
  dt: option("--dt <seconds>", "time between frames; velocities are then in pixels a second", seconds),
  truth: option("--truth <file>", "score against it: CSV with frame,x,y,vx,vy,target[,snr], frames from 0", inputFile),
  reach: reach(
    "pixels",
    "how far a detection may be from a true target and still be it (default: 2; 3 with --prefilter)",
  ).formerly("--match"),
  scoreFrom: option("--score-from <frame>", "first image that is scored, from 0", integer(0, 1e9)).or(0),
  picture: picture("draw what each output frame shows there, over its last image; a folder"),
  saveState: option("--save-state <file>", "write P after the last frame (.npy, vectors × height × width)", outputFile),
  ...rawFrames(),
};

export type BeforeDetectFlags = CommonFlags & FlagsOf<typeof beforeDetectOptions>;

function vectorsOf(text: string): { vectors: readonly MotionVector[]; file: string | null } {
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

/** Any more or less makes velocities that f64 cannot hold. */
function seconds(text: string): number {
  const value = nonNegative(text);
  if (value >= 1e-12 && value <= 1e12) return value;
  throw new InvalidArgumentError("Give 1e-12 to 1e12 seconds.");
}
