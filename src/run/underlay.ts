/** The image that a picture is drawn over. */
import { readFrames } from "../files/images/frames.js";
import { encodePng, type Note } from "../files/images/png.js";
import { refuse } from "../files/refusal.js";
import { inFloats, type Plane, toGrey } from "../pixels/image.js";
import type { PictureImage } from "../report/track-picture.js";

/** Share of pixels that become black, and of those that become white. */
const CLIPPED = 0.01;

/** The first frame of a sequence, stretched. */
export async function readUnderlay(path: string, note: Note): Promise<PictureImage> {
  for await (const frame of readFrames(path, { note })) return stretchedPicture(toGrey(frame));
  refuse(path, "holds no frame", "give an image or a sequence");
}

/** Any numbers in grey, from the darkest to the brightest but for a hundredth on either side. */
export function stretchedPicture(image: Plane): PictureImage {
  const { width, height, pixels } = inFloats(image);
  const sorted = pixels.slice().sort();
  const [low, high] = [CLIPPED, 1 - CLIPPED].map((share) => sorted[Math.floor(share * (sorted.length - 1))]);
  const scale = high > low ? 255 / (high - low) : 0;
  const grey = new Uint8Array(pixels.map((value) => Math.min(255, Math.max(0, Math.round(scale * (value - low))))));
  return embedded(width, height, grey);
}

/** Grey levels of 0 … 255 as they are. */
export function greyPicture({ width, height, pixels }: Plane): PictureImage {
  // Not Uint8Array.from, which makes a list of 40 bytes a pixel on the heap.
  return embedded(width, height, new Uint8Array(pixels.map((value) => Math.min(255, Math.max(0, Math.round(value))))));
}

/** One sample a pixel, or three. */
export function embedded(width: number, height: number, samples: Uint8Array): PictureImage {
  const png = Buffer.from(encodePng(width, height, samples)).toString("base64");
  return { width, height, url: `data:image/png;base64,${png}` };
}
