/** Images that browsers do not show, by the readers of the command line. */
import type { Frame } from "../../dist/core/frame.js";
import { readFrameFiles, readFrames } from "../../dist/files/images/frames.js";
import { memoryBytes } from "../../dist/files/memory.js";
import { placeFile } from "../platform/fs.js";
import type { Decoded, GivenFile } from "./protocol.js";

/** Of the browser's memory, for images. */
const SHARE = 0.25;

/** The frames of files; numbers of more than 8 bits from black at the first frame's least to white at its greatest. */
export async function decoded(files: readonly GivenFile[]): Promise<Decoded[]> {
  for (const { path, bytes } of files) placeFile(path, bytes);
  const paths = files.map(({ path }) => path);
  const frames: Decoded[] = [];
  let [bytes, range]: [number, readonly [number, number] | null] = [0, null];
  for await (const frame of paths.length === 1 ? readFrames(paths[0]) : readFrameFiles(paths)) {
    range ??= rangeOf(frame);
    const { width, height, channels, samples } = frame;
    bytes += samples.length;
    if (bytes > SHARE * memoryBytes())
      throw new Error(
        `${frame.place}: these images are too many for the browser's memory; give fewer, or smaller ones`,
      );
    frames.push({ width, height, channels, samples: inBytes(samples, range) });
  }
  for (const path of paths) placeFile(path, null);
  return frames;
}

function rangeOf({ samples }: Frame): readonly [number, number] {
  if (samples instanceof Uint8Array) return [0, 255];
  let [least, most] = [samples[0], samples[0]];
  for (const sample of samples) [least, most] = [Math.min(least, sample), Math.max(most, sample)];
  return [least, most];
}

function inBytes(samples: Frame["samples"], [least, most]: readonly [number, number]): Uint8Array {
  if (samples instanceof Uint8Array) return samples;
  const scale = 255 / (most - least || 1);
  return Uint8Array.from(samples, (sample) => Math.min(255, Math.max(0, Math.round((sample - least) * scale))));
}
