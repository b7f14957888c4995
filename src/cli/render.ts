import { join } from "node:path";
import { InputError } from "../core/errors.js";
import { encodeNpy } from "../files/npy-writer.js";
import { ensureFolder, writeWhole } from "../files/whole-file.js";
import { formatTruth } from "../formats/found-targets.js";
import { readImageScene } from "../formats/image-scene.js";
import { renderScene } from "../run/render.js";
import { SCENE_NOISES, SCENE_RANGES } from "../simulation/image-scene.js";
import { argument, choice, command, option } from "./declaration/declaration.js";
import { inputFile, outputFolder } from "./options/files.js";
import { seed } from "./options/running.js";
import { setting } from "./options/values.js";

const FILES = ["frames.npy", "truth.csv"] as const;

export const render = command({
  group: "Simulation",
  summary:
    "Draw an image sequence with dim targets in noise, and write where they truly are (docs/explanation/before-detection.md).",
  arguments: { scene: argument("scene (.json), as in scenarios/tbd", inputFile) },
  options: {
    output: option("-o, --output <folder>", "write frames.npy and truth.csv there", outputFolder(FILES)).needed(),
    seed: seed("the noise and the targets, instead of the scene's"),
    snr: option("--snr <number>", "peak amplitude over the noise's σ; 0 for noise alone", setting(SCENE_RANGES.snr)),
    frames: option("--frames <n>", "number of frames, instead of the scene's", setting(SCENE_RANGES.frames)),
    targets: option("--targets <n>", "number of targets, instead of the scene's", setting(SCENE_RANGES.targets)),
    noiseKind: choice("--noise-kind <name>", "kind of noise, instead of the scene's", SCENE_NOISES).formerly("--noise"),
  },
  examples: [
    "rmap render scenarios/tbd/point.json --snr 1.25 --seed 7 -o scene/",
    "rmap detect scene/frames.npy --method before-detect --truth scene/truth.csv",
  ],
  run({ scene: file }, flags, { progress }) {
    const given = readImageScene(file);
    const frames = flags.frames ?? given.frames;
    const scene = {
      ...given,
      frames,
      leave: given.leave === given.frames - 1 ? frames - 1 : given.leave,
      snr: flags.snr ?? given.snr,
      targets: flags.targets ?? given.targets,
      noise: flags.noiseKind ?? given.noise,
    };
    if (scene.leave >= frames || scene.enter >= frames) {
      throw new InputError(
        `--frames ${frames}: ${file} has targets in frames ${scene.enter} to ${scene.leave}; give more`,
      );
    }
    ensureFolder(flags.output);
    const drawn = flags.seed ?? given.seed;
    const { truth, pixels } = renderScene(scene, drawn, (frame) => progress.show("frames", frame, frames));
    const { width, height, name, snr, targets } = scene;
    const written = FILES.map((name) => join(flags.output, name));
    writeWhole(written[0], encodeNpy([frames, height, width], pixels));
    writeWhole(written[1], formatTruth(truth, `scene=${name} seed=${drawn} frames=${frames} units=px,px/frame`));
    return {
      text: `${name}, seed ${drawn}: ${frames} frames of ${width} × ${height}, ${targets} targets, SNR ${snr}; wrote ${written.join(", ")}\n`,
      json: { scene: name, seed: drawn, frames, width, height, targets, snr, written },
    };
  },
});
