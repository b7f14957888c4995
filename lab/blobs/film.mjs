#!/usr/bin/env node
/**
 * Draws scenarios/images/spots, the film that the tutorial begins with: simulated spots as TIFF files of 8 bits, one a frame.
 *
 *     npm run build && node lab/blobs/film.mjs [FOLDER]
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderScene } from "../../dist/run/render.js";

const [folder = "scenarios/images/spots"] = process.argv.slice(2);
const [width, height, frames] = [128, 96, 16];
/** Grey level of the ground, and of a σ of the noise. */
const [GROUND, NOISE] = [50, 8];

/** @type {import("../../dist/formats/image-scene.js").ImageSceneFile} */
const scene = {
  name: "film",
  width,
  height,
  frames,
  targets: 24,
  snr: [6, 12],
  spot: 1.6,
  velocities: { max: 2 },
  turn: 0,
  margin: 6,
  enter: 0,
  leave: frames - 1,
  noise: "gaussian",
  seed: 3,
};
const { pixels } = renderScene(scene, scene.seed);
mkdirSync(folder, { recursive: true });
for (let frame = 0; frame < frames; frame++) {
  const values = pixels.subarray(frame * width * height, (frame + 1) * width * height);
  const grey = Uint8Array.from(values, (value) => Math.min(255, Math.max(0, Math.round(GROUND + NOISE * value))));
  writeFileSync(join(folder, `${String(frame).padStart(2, "0")}.tif`), tiffOf(grey));
}

/** A TIFF file of one strip: the header, the pixels, and the tags behind them. */
function tiffOf(grey) {
  const tags = [
    [256, width],
    [257, height],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8],
    [277, 1],
    [278, height],
    [279, grey.length],
  ];
  // Each a number of 32 bits, by type 4.
  const entries = tags.map(([tag, value]) => Uint16Array.of(tag, 4, 1, 0, value, 0));
  const header = Uint32Array.of(0x002a4949, 8 + grey.length);
  const parts = [header, grey, Uint16Array.of(tags.length), ...entries, Uint32Array.of(0)];
  return Buffer.concat(parts.map(({ buffer }) => Buffer.from(buffer)));
}
