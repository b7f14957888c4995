/** Where `rmap detect` writes, and what it says of an image. */
import { basename, extname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { InputError } from "../../core/errors.js";
import { ensureFolder, writeWhole } from "../../files/whole-file.js";
import type { GpuSession } from "../../gpu/session.js";
import type { GreyImage } from "../../pixels/image.js";
import { openDevice } from "../../run/device.js";
import { type Luma, readFeatureImage } from "../../run/features/image.js";
import type { Detected, DetectFlags } from "./method.js";

/** What a detector made of one image. */
export interface Found {
  /** How much was found, as in "656 keypoints at 525 places". */
  readonly summary: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** What goes to --output. */
  readonly content: string | Uint8Array;
}

export interface Detector {
  /** Of files in the output folder, with the dot. */
  readonly extension: string;
  /** Whether it has kernels; without them it runs on the CPU and refuses other devices. */
  readonly kernels: boolean;
}

/** Runs `detect` on every image and writes what it found: to the file --output, or to files in that folder for several images. */
export async function detectEach(
  inputs: readonly string[],
  flags: DetectFlags,
  { extension, kernels }: Detector,
  detect: (image: GreyImage, session: GpuSession | null, input: string) => Promise<Found>,
): Promise<Detected> {
  const { output } = flags;
  if (output !== undefined && inputs.length > 1) ensureFolder(output);
  if (!kernels && flags.device !== "auto" && flags.device !== "cpu") {
    throw new InputError(`--device ${flags.device}: this method has no kernels; use --device cpu`);
  }
  const device = await openDevice(kernels ? flags.device : "cpu");
  const { session, actual } = device;
  const precision = session === null ? "f32 images, f64 sums" : "f32";
  const lines: string[] = [];
  const images: Record<string, unknown>[] = [];
  try {
    for (const input of inputs) {
      const image = await readFeatureImage(input, (flags.luma as Luma | undefined) ?? 601);
      const begin = performance.now();
      const { summary, json, content } = await detect(image, session, input);
      const seconds = (performance.now() - begin) / 1000;
      const file =
        output !== undefined && inputs.length > 1 ? join(output, basename(input, extname(input)) + extension) : output;
      if (file !== undefined) writeWhole(file, content);
      const written = file === undefined ? "" : `, wrote ${file}`;
      lines.push(`${input}: ${summary}, ${actual} ${precision}, ${seconds.toFixed(2)} s${written}\n`);
      images.push({ input, width: image.width, height: image.height, ...json, seconds, output: file ?? null });
    }
  } finally {
    await device.close();
  }
  return { text: lines.join(""), json: { device: { requested: flags.device, actual }, precision, images } };
}
