/** The options of `rmap flow`. */
import { FLOW_PRECISIONS, FLOW_PRESETS, type FlowOptions, type FlowPreset } from "../../pixels/flow/options.js";
import { FLOW_CASES } from "../../simulation/flow-pairs.js";
import { choice, type Everywhere, type FlagsOf, gone, grouped, option, toggle } from "../declaration/declaration.js";
import { inputFile, outputFile } from "./files.js";
import { channel, precision, rawFrames } from "./images.js";
import { picture } from "./output.js";
import { device, profile, seed } from "./running.js";
import { integer, nonNegative, positive } from "./values.js";

const { paper, quality } = FLOW_PRESETS;

/** The values of a setting in the two presets. */
const usual = (name: keyof FlowOptions) =>
  paper[name] === quality[name] ? `default: ${quality[name]}` : `paper: ${paper[name]}, quality: ${quality[name]}`;

const settings = () => ({
  iterations: option("--iterations <n>", `iterations a warp (${usual("iterations")})`, integer(0, 1e6)),
  levels: option("--levels <n>", `levels of the pyramid (${usual("levels")})`, integer(1, 32)),
  warps: option("--warps <n>", `warps a level (${usual("warps")})`, integer(1, 1000)),
  zoom: option("--zoom <eta>", `size of a level over that of the next finer (${usual("zoom")})`, positive),
  lambda: option("--lambda <x>", `weight of the data (${usual("lambda")})`, positive),
  theta: option("--theta <x>", `coupling (${usual("theta")})`, positive),
  tau: option("--tau <x>", `step of the dual (${usual("tau")})`, positive),
  median: option("--median <side>", `0, 3 or 5: median of u before every warp (${usual("median")})`, integer(0, 5)),
  presmooth: option("--presmooth <sigma>", `σ of a Gaussian before the pyramid (${usual("presmooth")})`, nonNegative),
  epsilon: option(
    "--epsilon <x>",
    "stop a warp when the mean |Δu|² of an iteration is below the square of this (default: 0, never)",
    nonNegative,
  ),
});

export const flowFlags = () => ({
  output: option(
    "-o, --output <path>",
    "write there: of a pair the .flo file, of a sequence a folder, with --detections the CSV",
    outputFile,
  ),
  ...grouped("A pair", {
    picture: picture("draw the flow in colours there: with colour wheel and scale; .svg has axes, too").formerly(
      "--png",
    ),
    truth: option("--truth <file>", "score against this .flo file", inputFile),
    border: option("--border <n>", "pixels at the edges that are not scored", integer(0, 1e6)).or(0),
    score: toggle("--score", "score a.flo against b.flo, the truth; computes no flow"),
    make: choice("--make <case>", "write a pair with known flow to the folder -o", FLOW_CASES),
    seed: seed("the pair of --make").or(1),
  }),
  ...grouped("Detections in a sequence", {
    detections: option("--detections <file>", "CSV of detections (frame,x,y in pixels) to give vx,vy", inputFile),
    around: option("--around <r>", "take the median flow of the (2r+1)² pixels around a detection", integer(0, 100))
      .or(0)
      .formerly("--window"),
    fill: choice("--fill <what>", "give detections without a velocity the median flow", ["drift"]),
  }),
  ...grouped("How the flow is computed", {
    preset: choice(
      "--preset <name>",
      "settings that the options below change",
      Object.keys(FLOW_PRESETS) as FlowPreset[],
    ).or("quality"),
    ...settings(),
  }),
  ...grouped("Where it runs", {
    device: device("it runs"),
    scheme: gone<"tiled">(
      "--scheme <name>",
      /^tiled$/,
      "tiled is the one scheme of rmap flow; those of the paper are run by node lab/flow/speed.mjs table. Leave --scheme out.",
    ),
    depth: option("--depth <k>", "iterations of one dispatch on a GPU", integer(1, 1000)),
    precision: precision("the iterations", FLOW_PRECISIONS, "f32"),
    profile: profile(),
  }),
  ...rawFrames(),
  channel: channel(),
});

export type FlowFlags = FlagsOf<ReturnType<typeof flowFlags>> & Everywhere;

/** The preset, changed by the flags. */
export function flowOptions(flags: FlowFlags): FlowOptions {
  const preset = FLOW_PRESETS[flags.preset];
  const names = Object.keys(preset) as (keyof FlowOptions)[];
  return Object.fromEntries(names.map((name) => [name, flags[name] ?? preset[name]])) as unknown as FlowOptions;
}
