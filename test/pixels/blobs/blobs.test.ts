import { describe, expect, it, test } from "vitest";
import { blobsOnThreads, detectBlobs } from "../../../src/pixels/blobs/blobs.js";
import { BLOB_DEFAULTS, type BlobOptions } from "../../../src/pixels/blobs/options.js";
import type { Plane } from "../../../src/pixels/image.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { noiseImage, withSpots } from "./spots.js";

const software = useSoftwareSession();

async function detect(image: Plane, options: Partial<BlobOptions> = {}) {
  return (await detectBlobs(image, { ...BLOB_DEFAULTS, ...options }, { device: null })).blobs;
}

const diameterOf = (sigma: number) => 2 * Math.SQRT2 * sigma;

describe("a Gaussian spot", () => {
  const truth = { x: 20.3, y: 24.45, sigma: 2, contrast: 80 };
  const clear = withSpots(noiseImage(48, 0, 1), [truth]);

  it.each<[string, Plane, number]>([
    ["f32", clear, 0.02],
    ["8 bits", { ...clear, pixels: Uint8Array.from(clear.pixels, Math.round) }, 0.03],
    ["16 bits", { ...clear, pixels: Uint16Array.from(clear.pixels, (value) => Math.round(300 * value)) }, 0.02],
  ])("is found with its place, size and contrast: %s", async (type, image, within) => {
    const [spot, ...others] = await detect(image);
    expect(others).toEqual([]);
    expect(Math.hypot(spot.x - truth.x, spot.y - truth.y)).toBeLessThan(within);
    expect(spot.diameter / diameterOf(truth.sigma)).toBeCloseTo(1, 1);
    expect(spot.contrast / truth.contrast / (type === "16 bits" ? 300 : 1)).toBeCloseTo(1, 1);
  });

  it("is found where it is dark, and only if it is asked for", async () => {
    const dark = withSpots(noiseImage(48, 1, 3), [{ ...truth, contrast: -80 }]);
    const [spot] = await detect(dark, { dark: true });
    expect(Math.hypot(spot.x - truth.x, spot.y - truth.y)).toBeLessThan(0.1);
    expect(spot.contrast).toBeLessThan(-70);
    // The ring around it is bright, and no spot.
    expect(await detect(dark)).toEqual([]);
  });

  it("is not lost beside a stronger one of the other sign, whose ring is", async () => {
    const other = { x: 30.6, y: 24.2, sigma: 2, contrast: -200 };
    const image = withSpots(noiseImage(64, 2, 5), [truth, other]);
    const spots = await detect(image);
    expect(spots.length).toBe(1);
    expect(Math.hypot(spots[0].x - truth.x, spots[0].y - truth.y)).toBeLessThan(1);
    const [dark, ...others] = await detect(image, { dark: true, falseAlarms: 0.01 });
    expect(Math.hypot(dark.x - other.x, dark.y - other.y)).toBeLessThan(0.5);
    expect(others).toEqual([]);
    // A dim spot of its own in the ring's place is found there too.
    const dim = { x: 30.6, y: 29.8, sigma: 2, contrast: 70 };
    expect((await detect(withSpots(image, [dim]))).length).toBe(2);
  });

  it("is left out below the least contrast or score", async () => {
    const noisy = withSpots(noiseImage(48, 5, 2), [truth]);
    const [{ contrast, score }] = await detect(noisy);
    expect(await detect(noisy, { contrast: contrast + 0.1, threshold: 4 })).toEqual([]);
    expect((await detect(noisy, { contrast: contrast - 0.1, threshold: score - 0.1 })).length).toBe(1);
    expect(await detect(noisy, { threshold: score + 0.1 })).toEqual([]);
  });
});

test("in noise a place is known as well as theory says, to 0.825 σ of the noise over the contrast along each axis", async () => {
  let [squares, found, sizes] = [0, 0, 0];
  for (let seed = 1; seed <= 4; seed++) {
    const spots = Array.from({ length: 25 }, (_, k) => {
      const [x, y] = [16 + 24 * (k % 5) + 0.37 * (k % 7), 16 + 24 * Math.floor(k / 5) + 0.29 * (k % 9)];
      return { x, y, sigma: 2, contrast: 50 };
    });
    const blobs = await detect(withSpots(noiseImage(128, 10, seed), spots), { diameter: [4, 8] });
    for (const { x, y } of spots) {
      const near = blobs.filter((blob) => Math.hypot(blob.x - x, blob.y - y) < 2);
      found += near.length;
      for (const blob of near) {
        squares += (blob.x - x) ** 2 + (blob.y - y) ** 2;
        sizes += blob.diameter;
      }
    }
  }
  expect(found).toBe(100);
  const perAxis = Math.sqrt(squares / found / 2);
  expect(perAxis).toBeGreaterThan(0.8 * 0.825 * 0.2);
  expect(perAxis).toBeLessThan(1.15 * 0.825 * 0.2);
  expect(sizes / found / diameterOf(2)).toBeCloseTo(1, 1);
});

// The count is that of white noise. In smooth noise places and scales vary otherwise, but its height at each scale is measured.
test.each<[string, number, (noise: Float32Array, side: number) => Float32Array]>([
  ["white", 1.1, (noise) => noise],
  ["smooth", 2, (noise, side) => noise.map((value, p) => value + (noise[p + 1] ?? 0) + (noise[p + side] ?? 0))],
])("noise alone shows about as many spots as --false-alarms says: %s", async (kind, most, colour) => {
  let found = 0;
  const images = 12;
  const options = { ...BLOB_DEFAULTS, diameter: [3, 6] as const, falseAlarms: 5 };
  for (let seed = 1; seed <= images; seed++) {
    const { pixels, ...size } = noiseImage(128, 10, seed);
    const { blobs, white } = await detectBlobs({ ...size, pixels: colour(pixels, 128) }, options, { device: null });
    expect(white === null ? "smooth" : "white").toBe(kind);
    found += blobs.length;
  }
  // Pixels at the border are no spots, and of two maxima that overlap one is left.
  expect(found / images).toBeGreaterThan(0.3 * 5);
  expect(found / images).toBeLessThan(most * 5);
});

test("crowded spots do not raise the noise, nor do grey levels that are few", async () => {
  const spots = Array.from({ length: 400 }, (_, k) => ({
    x: 4 + 6 * (k % 20) + 0.3 * (k % 3),
    y: 4 + 6 * Math.floor(k / 20) + 0.2 * (k % 5),
    sigma: 1.4,
    contrast: 30,
  }));
  const image = withSpots(noiseImage(128, 3, 9), spots);
  const { blobs, white } = await detectBlobs(
    { ...image, pixels: Uint8Array.from(image.pixels, Math.round) },
    { ...BLOB_DEFAULTS, diameter: [2, 6] },
    {
      device: null,
    },
  );
  expect((white as number) / 3).toBeGreaterThan(0.97);
  expect((white as number) / 3).toBeLessThan(1.1);
  expect(blobs.length).toBe(400);
});

test("spots closer than half a diameter are one, those further apart are two", async () => {
  const pair = (distance: number) =>
    withSpots(noiseImage(64, 0.1, 1), [
      { x: 30, y: 32, sigma: 2, contrast: 50 },
      { x: 30 + distance, y: 32, sigma: 2, contrast: 40 },
    ]);
  const options = { diameter: [4, 8] as const, threshold: 20 };
  expect((await detect(pair(2), options)).length).toBe(1);
  expect((await detect(pair(8), options)).length).toBe(2);
});

test("a line has no spots, however bright", async () => {
  const { pixels, ...size } = noiseImage(64, 1, 4);
  const line = pixels.map(
    (value, p) => value + 100 * Math.exp(-(((p % 64) - 20.4 - 0.3 * Math.floor(p / 64)) ** 2) / 4),
  );
  const blobs = await detect({ ...size, pixels: line }, { diameter: [3, 6] });
  // Where it ends at the border it looks like half a spot.
  expect(blobs.filter(({ y }) => y > 8 && y < 56)).toEqual([]);
});

test("the device finds the same spots", async () => {
  const image = withSpots(noiseImage(96, 10, 5), [
    { x: 30.2, y: 40.7, sigma: 1.5, contrast: 90 },
    { x: 60.6, y: 50.1, sigma: 3, contrast: 60 },
  ]);
  const deep = { ...image, pixels: Uint16Array.from(image.pixels, Math.round) };
  const options = { ...BLOB_DEFAULTS, falseAlarms: 20 };
  const host = await detectBlobs(deep, options, { device: null });
  const device = await detectBlobs(deep, options, { device: software() });
  expect(host.blobs.length).toBeGreaterThan(5);
  expect(device.threshold).toBe(host.threshold);
  expect(device.blobs.length).toBe(host.blobs.length);
  device.blobs.forEach((blob, n) => {
    for (const name of ["x", "y", "diameter", "contrast", "score"] as const)
      expect(Math.abs(blob[name] - host.blobs[n][name])).toBeLessThan(1e-3 * (1 + Math.abs(host.blobs[n][name])));
  });
});

test("threads find the same spots to the last bit, each image on its own", async () => {
  const options = { ...BLOB_DEFAULTS, falseAlarms: 20 };
  const images = [1, 2, 3].map((seed) => {
    const noise = noiseImage(64 + seed, 10, seed);
    return { ...noise, pixels: Uint16Array.from(noise.pixels, Math.round) };
  });
  const one = await Promise.all(images.map((image) => detectBlobs(image, options, { device: null })));
  const pool = blobsOnThreads(2, 0);
  try {
    expect(await Promise.all(images.map((image) => pool.find({ image, options })))).toEqual(one);
  } finally {
    await pool.close();
  }
  expect(new Set(one.map(({ blobs }) => blobs.length)).size).toBeGreaterThan(1);
});
