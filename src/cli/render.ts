import { join } from "node:path";
import { Command, Option } from "commander";
import { InputError } from "../core/errors.js";
import { encodeNpy } from "../files/npy-writer.js";
import { ensureFolder, writeWhole } from "../files/whole-file.js";
import { formatTruth } from "../formats/found-targets.js";
import { readImageScene } from "../formats/image-scene.js";
import { renderScene } from "../run/render.js";
import { SCENE_NOISES, type SceneNoise } from "../simulation/image-scene.js";
import { inputFile, outputFolder } from "./named-files.js";
import { integer, nonNegative, seed } from "./options.js";
import { printText } from "./print.js";

const FILES = ["frames.npy", "truth.csv"] as const;

interface RenderFlags {
  readonly output: string;
  readonly seed?: number;
  readonly snr?: number;
  readonly frames?: number;
  readonly targets?: number;
  readonly noise?: SceneNoise;
}

export function renderCommand(): Command {
  return new Command("render")
    .description(
      "Draw an image sequence with dim targets in noise, and where they truly are (docs/before-detection.md).",
    )
    .argument("<scene>", "scene (.json), as in scenarios/tbd", inputFile)
    .requiredOption("-o, --output <folder>", "write frames.npy and truth.csv there", outputFolder(FILES))
    .option("--seed <n>", "seed, instead of the scene's", seed)
    .option("--snr <number>", "peak amplitude over the noise's σ, instead of the scene's; 0: noise alone", nonNegative)
    .option("--frames <n>", "number of frames", integer(1, 1_000_000))
    .option("--targets <n>", "number of targets", integer(0, 10_000))
    .addOption(new Option("--noise <name>", "instead of the scene's").choices(SCENE_NOISES))
    .addHelpText(
      "after",
      `
Examples:
  $ rmap render scenarios/tbd/point.json --snr 1.25 --seed 7 -o scene/
  $ rmap detect scene/frames.npy --method before-detect --truth scene/truth.csv`,
    )
    .action(renderAction);
}

function renderAction(file: string, flags: RenderFlags): void {
  const given = readImageScene(file);
  const frames = flags.frames ?? given.frames;
  const scene = {
    ...given,
    frames,
    leave: given.leave === given.frames - 1 ? frames - 1 : given.leave,
    snr: flags.snr ?? given.snr,
    targets: flags.targets ?? given.targets,
    noise: flags.noise ?? given.noise,
  };
  if (scene.leave >= frames || scene.enter >= frames) {
    throw new InputError(
      `--frames ${frames}: ${file} has targets in frames ${scene.enter} to ${scene.leave}; give more`,
    );
  }
  ensureFolder(flags.output);
  const drawn = flags.seed ?? given.seed;
  const shown = process.stderr.isTTY === true;
  const { truth, pixels } = renderScene(scene, drawn, (frame) => {
    if (shown) process.stderr.write(`\r${frame} of ${frames} frames${frame === frames ? "\n" : ""}`);
  });
  const { width, height, name, snr, targets } = scene;
  const written = FILES.map((name) => join(flags.output, name));
  writeWhole(written[0], encodeNpy([frames, height, width], pixels));
  writeWhole(written[1], formatTruth(truth, `scene=${name} seed=${drawn} frames=${frames} units=px,px/frame`));
  printText(
    `${name}, seed ${drawn}: ${frames} frames of ${width} × ${height}, ${targets} targets, SNR ${snr}; wrote ${written.join(", ")}\n`,
  );
}
