import { performance } from "node:perf_hooks";
import { Command, Option } from "commander";
import { DEVICE_CHOICES } from "../gpu/adapter.js";
import { FLOW_PRECISIONS, FLOW_PRESETS } from "../pixels/flow/options.js";
import { openFlow } from "../run/flow.js";
import { FLOW_CASES } from "../simulation/flow-pairs.js";
import { type FlowFlags, flowOptions, RAW_TYPES, size, tiledOnly } from "./flow-flags.js";
import { atDetections, flowPair, flowSequence, makePair, refuseUsage, scoreFields } from "./flow-modes.js";
import { imageInput, inputFile, outputFile, several } from "./named-files.js";
import { integer, nonNegative, positive, refuseGiven, seed } from "./options.js";

const { paper, quality } = FLOW_PRESETS;

export function flowCommand(): Command {
  return new Command("flow")
    .description("Dense optical flow (TV-L1) of image pairs and sequences; velocities for detections.")
    .argument(
      "[images...]",
      "two images, or a sequence: a folder or glob of PNG, PGM, PPM, a .npy (T, H, W), a .y4m, - for y4m on stdin",
      several(imageInput),
    )
    .option("-o, --output <path>", "pair: the .flo file; sequence: a folder; with --detections: the CSV", outputFile)
    .option("--png <file>", "pair: draw the flow in colours there", outputFile)
    .option("--truth <file>", "pair: score against this .flo file", inputFile)
    .option("--border <n>", "pixels at the edges that are not scored", integer(0, 1e6), 0)
    .option("--score", "score a.flo against b.flo, the truth; computes no flow")
    .option("--detections <file>", "CSV of detections (frame,x,y in pixels); writes it with vx,vy", inputFile)
    .option("--window <r>", "median of the flow over (2r+1)² pixels around a detection", integer(0, 100), 0)
    .addOption(new Option("--fill <what>", "for detections without a velocity: the median flow").choices(["drift"]))
    .addOption(new Option("--make <case>", "write a pair with known flow to the folder -o").choices(FLOW_CASES))
    .option("--seed <n>", "of --make", seed, 1)
    .addOption(
      new Option("--preset <name>", "settings that the options below change")
        .choices(Object.keys(FLOW_PRESETS))
        .default("quality"),
    )
    .option(
      "--iterations <n>",
      `iterations a warp (paper ${paper.iterations}, quality ${quality.iterations})`,
      integer(0, 1e6),
    )
    .option("--levels <n>", `levels of the pyramid (paper ${paper.levels}, quality ${quality.levels})`, integer(1, 32))
    .option("--warps <n>", `warps a level (paper ${paper.warps}, quality ${quality.warps})`, integer(1, 1000))
    .option("--zoom <eta>", `size of a level over the next finer (${quality.zoom})`, positive)
    .option("--lambda <x>", `weight of the data (${quality.lambda})`, positive)
    .option("--theta <x>", `coupling (${quality.theta})`, positive)
    .option("--tau <x>", `step of the dual (${quality.tau})`, positive)
    .option(
      "--median <side>",
      `0, 3 or 5: median of u before every warp (paper ${paper.median}, quality ${quality.median})`,
      integer(0, 5),
    )
    .option("--presmooth <sigma>", `Gaussian before the pyramid, px (${quality.presmooth})`, nonNegative)
    .option(
      "--epsilon <x>",
      "stop a warp when the mean |Δu|² of an iteration is below its square (0: never)",
      nonNegative,
    )
    .addOption(new Option("--device <name>", "where it runs").choices(DEVICE_CHOICES).default("auto"))
    .addOption(new Option("--scheme <name>").argParser(tiledOnly).hideHelp())
    .option("--depth <k>", "iterations of one dispatch on a GPU", integer(1, 1000))
    .addOption(
      new Option("--precision <format>", "number format of the iterations").choices(FLOW_PRECISIONS).default("f32"),
    )
    .option("--size <WxH>", "of raw frames", size)
    .addOption(new Option("--type <type>", "of raw frames").choices(RAW_TYPES))
    .option("--profile", "time every kernel on a GPU by its own clock")
    .option("--json", "print the result as one JSON object")
    .option("-q, --quiet", "no progress on stderr")
    .addHelpText(
      "after",
      `
Examples:
  $ rmap flow a.png b.png -o ab.flo --png ab.png
  $ rmap flow a.png b.png --preset paper --truth true.flo --json
  $ rmap flow frames/ -o flows/
  $ ffmpeg -i film.mp4 -f yuv4mpegpipe - | rmap flow - -o flows/
  $ rmap flow frames/ --detections spots.csv -o moving.csv && rmap solve moving.csv -o results/spots
  $ rmap flow --make swirl --seed 1 -o swirl && rmap flow swirl/0.png swirl/1.png --truth swirl/truth.flo --border 8`,
    )
    .action(flowAction);
}

/** Refuses options that would have no effect. */
function refuseUnused({ detections, window, fill, truth, png, border }: FlowFlags): void {
  if (detections === undefined && (window > 0 || fill !== undefined)) {
    refuseUsage("--window and --fill are for --detections", "give detections, or leave them out");
  }
  if (detections !== undefined && (truth !== undefined || png !== undefined)) {
    refuseUsage("--truth and --png are for a pair", "leave them out");
  }
  if (truth === undefined && border > 0) refuseUsage("--border is for --truth", "give the truth, or leave it out");
}

async function flowAction(images: string[] | undefined, flags: FlowFlags, command: Command): Promise<void> {
  const paths = images ?? [];
  if (flags.make !== undefined) return makePair(flags.make, flags, paths);
  refuseGiven(command, ["seed"], "is for --make; leave it out");
  if (flags.score) return scoreFields(paths, flags);
  if (paths.length === 0) refuseUsage("no images given", "name two images or a sequence");
  refuseUnused(flags);
  const options = flowOptions(flags);
  const now = () => performance.now() / 1000;
  const { steps, close } = await openFlow({ ...flags, profile: flags.profile === true, now });
  try {
    if (flags.detections !== undefined) await atDetections(paths, flags.detections, flags, options, steps);
    else if (paths.length === 2) await flowPair(paths, flags, options, steps, now);
    else await flowSequence(paths, flags, options, steps);
  } finally {
    await close();
  }
}
