import { expect, test, vi } from "vitest";
import type { Frame } from "../../../src/core/frame.js";
import type { GpuSession } from "../../../src/gpu/session.js";
import { detectCanny } from "../../../src/pixels/features/canny.js";
import { detectCorners, HARRIS_DEFAULTS } from "../../../src/pixels/features/corners.js";
import { makeEdgeImage } from "../../../src/pixels/features/edge-images.js";
import { trackKlt } from "../../../src/pixels/features/klt.js";
import { KLT_DEFAULTS } from "../../../src/pixels/features/klt-options.js";
import { detectOpenvidia, OPENVIDIA_DEFAULTS } from "../../../src/pixels/features/openvidia/openvidia.js";
import { detectSift } from "../../../src/pixels/features/sift/gpu-sift.js";
import { SIFT_DEFAULTS } from "../../../src/pixels/features/sift/sift.js";
import { inFloats, type Plane } from "../../../src/pixels/image.js";
import { featureImage } from "../../../src/run/features/image.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { blobImage, scatteredBlobs } from "./images.js";

vi.setConfig({ testTimeout: 240_000 });
const session = useSoftwareSession();

/** 47 × 41 pixels: no multiple of four. */
const frame = (dx: number): Frame => {
  const { width, height, pixels } = blobImage(47, 41, scatteredBlobs(60, 47, 41, 1.1, 3), dx);
  return { width, height, channels: 1, samples: Uint8Array.from(pixels), place: "drawn" };
};
const points = { x: Float32Array.of(12, 30, 22.5), y: Float32Array.of(11, 20, 28.25) };
const METHODS: Record<string, (image: Plane, device: GpuSession) => Promise<object>> = {
  sift: (image, device) => detectSift(image, { ...SIFT_DEFAULTS, firstOctave: 0, peak: 0.01 }, { device }),
  "sift in halves": (image, device) =>
    detectSift(image, { ...SIFT_DEFAULTS, firstOctave: 0, peak: 0.01, storage: "f16" }, { device }),
  harris: (image, device) => detectCorners(image, HARRIS_DEFAULTS, { device }),
  openvidia: (image, device) => detectOpenvidia(image, OPENVIDIA_DEFAULTS, { device }),
  canny: (image, device) => detectCanny(image, 50, 100, { device }),
  sobel: (image, device) => makeEdgeImage(image, { filter: "sobel" }, { device }),
  klt: (image, device) =>
    trackKlt(image, featureImage(frame(1.4)), points, { ...KLT_DEFAULTS, levels: 2, bothWays: 1, device }),
};

test("an image of 8 bits stays one, and one of 16 is scaled", () => {
  const { samples } = frame(0);
  expect(featureImage(frame(0)).pixels).toEqual(samples);
  const sixteen = featureImage({ ...frame(0), samples: Uint16Array.from(samples) });
  expect(sixteen.pixels).toEqual(Float32Array.from(samples, (sample) => sample / 257));
});

test.each(Object.keys(METHODS))("%s finds the same in an image sent as bytes as in one sent as f32", async (name) => {
  const image = featureImage(frame(0));
  const found = await METHODS[name](image, session());
  expect(found).toEqual(await METHODS[name](inFloats(image), session()));
  // Whatever was left of an image before must not show.
  expect(found).not.toEqual(await METHODS[name](featureImage(frame(7)), session()));
});
