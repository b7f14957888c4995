/** Image sequences with known targets, made from a scene. */
import { InputError } from "../core/errors.js";
import type { ImageSceneFile } from "../formats/image-scene.js";
import { motionVectors } from "../pixels/before-detect/vectors.js";
import { type DrawnScene, drawImageScene } from "../simulation/image-scene.js";

/** Largest array of frames, in bytes. */
const MOST_BYTES = 2 ** 30;

export interface RenderedScene {
  readonly truth: DrawnScene["truth"];
  /** Of shape frames × height × width. */
  readonly pixels: Float32Array;
}

/** @throws InputError for more than 1 GiB of frames, and targets that do not fit */
export function renderScene(scene: ImageSceneFile, seed: number, progress?: (frame: number) => void): RenderedScene {
  const { width, height, frames } = scene;
  if (4 * width * height * frames > MOST_BYTES) {
    throw new InputError(
      `scene ${scene.name}: ${frames} frames of ${width} × ${height} pixels are more than 1 GiB; give fewer or smaller frames`,
    );
  }
  const velocities = scene.velocities === "vectors" ? motionVectors(2) : scene.velocities;
  const drawn = drawImageScene({ ...scene, velocities }, seed);
  const pixels = new Float32Array(width * height * frames);
  let n = 0;
  for (const frame of drawn.frames()) {
    pixels.set(frame, n * width * height);
    n++;
    progress?.(n);
  }
  return { truth: drawn.truth, pixels };
}
