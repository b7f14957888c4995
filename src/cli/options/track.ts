/** The options of `rmap track`. */
import { InvalidArgumentError } from "commander";
import { ASSOCIATORS } from "../../run/associators.js";
import { TRACK_DEFAULTS } from "../../run/track-options.js";
import { REACH_SHARE } from "../../run/track-settings.js";
import type { Line } from "../../track/line.js";
import { SCORE_RULE, type ScoreRule, type View } from "../../track/tracker.js";
import { choice, type Everywhere, type FlagsOf, grouped, option } from "../declaration/declaration.js";
import { outputFile } from "./files.js";
import { verbose } from "./output.js";
import { readingOptions } from "./reading.js";
import { gpuDevice } from "./running.js";
import { integer, numbers, positive } from "./values.js";

export const trackOptions = () => ({
  output: option("-o, --output <file>", "write frame,detection,track,x,y there, not to standard output", outputFile),
  state: option("--state <file>", "go on from there if it exists, and leave the state there at the end", outputFile),
  verbose: verbose("how large the frames were, and the rounds of an auction"),
  realtime: option(
    "--realtime <hertz>",
    "time every frame, against a camera of this rate, after made-up ones that warm the engine up",
    positive,
  ),
  ...readingOptions(),
  ...grouped("The filter, and what is linked", {
    dMax: option(
      "--d-max <length>",
      `largest distance from a prediction (default: ${REACH_SHARE} of the median nearest-neighbour distance)`,
      positive,
    ),
    displacement: option(
      "--displacement <dx,dy>",
      "displacement of new tracks per frame (default: voted over the first frames)",
      (text): readonly [number, number] => numbers(text, 2) as [number, number],
    ),
    voteFrames: option("--vote-frames <n>", "first frames that are held back to vote", integer(2, 1000)).or(
      TRACK_DEFAULTS.voteFrames,
    ),
    filterNoise: option(
      "--filter-noise <q,r>",
      "standard deviations of acceleration and measurement, or auto: estimated",
      noise,
    )
      .or(null, "auto")
      .formerly("--noise"),
    score: option("--score <numbers>", "start,up,down,most,least of a track's score", score).or(
      SCORE_RULE,
      Object.values(SCORE_RULE).join(),
    ),
    view: option(
      "--view <xmin,xmax,ymin,ymax>",
      "what the camera sees, ends may be empty; auto: the box of what was seen",
      view,
    ).or(null, "none"),
    reorder: option("--reorder <frames>", "frames held back for rows that come late", integer(0, 100_000)).or(0),
  }),
  ...grouped("Separation line", {
    line: option("--line <x=…>", "where objects are separated: x=… or y=…", line),
    decisions: option("--decisions <file>", "write when and where each track reaches the line (CSV)", outputFile),
  }),
  ...grouped("Who links tracks and measurements", {
    associate: choice("--associate <name>", "algorithm of the association", ASSOCIATORS).or("jv"),
    device: gpuDevice("gpu-auction and block-hungarian run"),
    bidStep: option("--bid-step <share>", "least rise ε of a bid of an auction, as a share of d_max", positive)
      .or(1e-4)
      .formerly("--epsilon"),
    rounds: option("--rounds <n>", "rounds of an auction before jv decides the frame", integer(1, 1e9)).or(10_000),
  }),
});

export type TrackFlags = FlagsOf<ReturnType<typeof trackOptions>> & Everywhere;

function noise(text: string): { q: number; r: number } | null {
  if (text === "auto") return null;
  const [q, r] = numbers(text, 2);
  if (q > 0 && r > 0) return { q, r };
  throw new InvalidArgumentError("Give two standard deviations above 0, Q,R, or auto.");
}

function score(text: string): ScoreRule {
  const [initialScore, up, down, max, min] = numbers(text, 5);
  if (up >= 0 && down >= 0 && max >= initialScore && initialScore >= min) return { initialScore, up, down, max, min };
  throw new InvalidArgumentError(
    "Give START,UP,DOWN,MOST,LEAST with UP and DOWN of 0 or more and LEAST ≤ START ≤ MOST.",
  );
}

function view(text: string): View | "auto" | null {
  if (text === "none") return null;
  if (text === "auto") return "auto";
  const ends = text.split(",").map((part, k) => (part.trim() === "" ? [-Infinity, Infinity][k % 2] : Number(part)));
  const [left, right, bottom = -Infinity, top = Infinity] = ends;
  if ((ends.length === 2 || ends.length === 4) && left < right && bottom < top) return [left, right, bottom, top];
  throw new InvalidArgumentError("Give XMIN,XMAX,YMIN,YMAX, least first, any of them empty; or auto, or none.");
}

function line(text: string): Line {
  const match = /^([xy])=(.+)$/.exec(text.trim());
  const at = Number(match?.[2]);
  if (match !== null && Number.isFinite(at)) return { axis: match[1] as "x" | "y", at };
  throw new InvalidArgumentError("Give x=… or y=…, as in x=0.39.");
}
