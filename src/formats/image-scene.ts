import { z } from "zod";
import { readJson } from "../files/json-file.js";
import { type ImageScene, SCENE_NOISES, SCENE_RANGES } from "../simulation/image-scene.js";
import { numberIn, SETTINGS } from "./settings.js";

const size = z.int().min(1).max(16_384);
const pixels = z.number().min(0).max(1000);

/** The keys of a scene of `rmap render`; `velocities` "vectors" are the 13 integer ones of length 2 at most. */
const schema = z
  .strictObject({
    name: z.string().min(1).max(200),
    description: z.string().optional(),
    width: size,
    height: size,
    frames: numberIn(SCENE_RANGES.frames),
    targets: numberIn(SCENE_RANGES.targets),
    snr: z.union([numberIn(SCENE_RANGES.snr), z.array(numberIn(SCENE_RANGES.snr)).min(1)]).default(1),
    spot: pixels.default(0),
    velocities: z.union([z.literal("vectors"), z.strictObject({ max: pixels })]).default("vectors"),
    turn: z.number().min(-180).max(180).default(0),
    margin: pixels.default(8),
    enter: z.int().min(0).default(0),
    leave: z.int().min(0).optional(),
    noise: z.enum(SCENE_NOISES).default("gaussian"),
    seed: numberIn(SETTINGS.seed).default(1),
  })
  .refine(({ enter, leave, frames }) => (leave ?? frames - 1) < frames && enter <= (leave ?? frames - 1), {
    path: ["leave"],
    message: "give images, which count from 0, with 0 ≤ enter ≤ leave < frames",
  });

/** A scene file with its defaults; the reader supplies the vectors from which velocities are drawn. */
export interface ImageSceneFile extends Omit<ImageScene, "velocities"> {
  readonly name: string;
  readonly velocities: "vectors" | { readonly max: number };
  readonly seed: number;
}

/** @throws InputError naming file, line, JSON path, value and remedy */
export function readImageScene(file: string): ImageSceneFile {
  const { description: _, ...scene } = readJson(file, schema);
  return { ...scene, leave: scene.leave ?? scene.frames - 1 };
}
