import { expect, test, vi } from "vitest";
import { detectOpenvidia, IMAGE_TAPS, OPENVIDIA_DEFAULTS } from "../../../src/pixels/features/openvidia/openvidia.js";
import { type DescriptorForm, describe as describeAt } from "../../../src/pixels/features/sift/descriptor.js";
import { convolveSeparable } from "../../../src/pixels/gaussian.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { blobImage, drawn, scatteredBlobs } from "./images.js";

vi.setConfig({ testTimeout: 240_000 });
const session = useSoftwareSession();
const cpu = { device: null };

/** A bright square of 30 pixels turned by `angle`. */
const square = (angle: number) =>
  drawn(90, 90, (x, y) => {
    const [u, v] = [
      Math.cos(angle) * (x - 45) + Math.sin(angle) * (y - 45),
      -Math.sin(angle) * (x - 45) + Math.cos(angle) * (y - 45),
    ];
    return Math.abs(u) < 15 && Math.abs(v) < 15 ? 200 : 40;
  });

test("a square has its four corners, whose directions point inwards, and nothing on its sides", async () => {
  const { x, y, angle } = await detectOpenvidia(square(0), OPENVIDIA_DEFAULTS, cpu);
  expect(x.length).toBe(4);
  for (let k = 0; k < 4; k++) {
    expect(Math.abs(Math.abs(x[k] - 45) - 14)).toBeLessThan(4);
    expect(Math.abs(Math.abs(y[k] - 45) - 14)).toBeLessThan(4);
    const inwards = Math.atan2(45 - y[k], 45 - x[k]);
    expect(Math.abs(Math.sin((angle[k] - inwards) / 2))).toBeLessThan(0.07);
  }
});

test("descriptors turn with the image", async () => {
  const [a, b] = [
    await detectOpenvidia(square(0), OPENVIDIA_DEFAULTS, cpu),
    await detectOpenvidia(square(0.5), OPENVIDIA_DEFAULTS, cpu),
  ];
  // Turned, a corner has an edge pixel on either side that is as strong.
  expect(b.x.length).toBe(8);
  const distances = Array.from({ length: 8 }, (_, k) =>
    Math.hypot(...a.descriptors.subarray(0, 128).map((value, d) => Math.abs(value - b.descriptors[128 * k + d]))),
  );
  expect(Math.min(...distances)).toBeLessThan(180);
});

test("features are edge pixels: no gradient ahead or behind in one of eight directions is greater", async () => {
  const image = blobImage(93, 71, scatteredBlobs(150, 93, 71, 1.1, 4));
  const { x, y } = await detectOpenvidia(image, OPENVIDIA_DEFAULTS, cpu);
  expect(x.length).toBeGreaterThan(50);
  const { pixels } = convolveSeparable(image, IMAGE_TAPS, "replicate");
  const at = (px: number, py: number) => pixels[Math.min(Math.max(py, 0), 70) * 93 + Math.min(Math.max(px, 0), 92)];
  const gradient = (px: number, py: number) => [at(px + 1, py) - at(px - 1, py), at(px, py + 1) - at(px, py - 1)];
  for (const [k, px] of x.entries()) {
    const py = y[k];
    if (px < 2 || py < 2 || px > 90 || py > 68) continue;
    const [gx, gy] = gradient(px, py);
    const eighth = (Math.PI / 4) * Math.round(Math.atan2(gy, gx) / (Math.PI / 4));
    const [dx, dy] = [Math.round(Math.cos(eighth)), Math.round(Math.sin(eighth))];
    for (const sign of [1, -1])
      expect(Math.hypot(...gradient(px + sign * dx, py + sign * dy))).toBeLessThanOrEqual(1.0001 * Math.hypot(gx, gy));
  }
});

test.each([
  { directions: 8, bins: "linear" },
  { directions: 4, bins: "linear" },
  { directions: 8, bins: "cosine" },
  { directions: 4, bins: "cosine" },
] as const)("the kernels find the twin's features and descriptors: %o", async (form) => {
  const options = { ...OPENVIDIA_DEFAULTS, ...form };
  const image = blobImage(93, 71, scatteredBlobs(150, 93, 71, 1.1, 4));
  const twin = await detectOpenvidia(image, options, cpu);
  const found = await detectOpenvidia(image, options, { device: session() });
  expect(twin.x.length).toBeGreaterThan(15);
  expect([...found.x]).toEqual([...twin.x]);
  expect([...found.y]).toEqual([...twin.y]);
  for (const [k, angle] of twin.angle.entries())
    expect(Math.abs(Math.sin((angle - found.angle[k]) / 2))).toBeLessThan(1e-3);
  const worst = twin.descriptors.reduce((most, value, d) => Math.max(most, Math.abs(value - found.descriptors[d])), 0);
  expect(worst).toBeLessThanOrEqual(3);
  for (const [d, value] of found.descriptors.entries()) if (form.directions === 4 && d % 2 === 1) expect(value).toBe(0);
});

test("of neighbours that are equal but for rounding every device chooses the same", async () => {
  const dots = drawn(60, 50, (x, y) => (x % 10 < 4 && y % 10 < 4 ? 255 : 0));
  const [twin, found] = [
    await detectOpenvidia(dots, OPENVIDIA_DEFAULTS, cpu),
    await detectOpenvidia(dots, OPENVIDIA_DEFAULTS, { device: session() }),
  ];
  const keys = ({ x, y, angle }: typeof twin) =>
    Array.from(x, (px, k) => `${px} ${y[k]} ${angle[k].toFixed(3)}`.replace("6.283", "0.000")).sort();
  expect(twin.x.length).toBeGreaterThan(20);
  expect(keys(found)).toEqual(keys(twin));
});

test("a gradient between two directions counts half for each, linearly and by cosines", () => {
  // Grey levels rise along (cos 22.5°, sin 22.5°) everywhere, so that each cell has the same sums.
  const ramp = (angle: number) => drawn(61, 61, (x, y) => 100 + Math.cos(angle) * x + Math.sin(angle) * y);
  const sumsOf = (angle: number, form: DescriptorForm) => {
    const out = new Uint8Array(128);
    describeAt(ramp(angle), 30, 30, 2, 0, out, form);
    return Array.from({ length: 8 }, (_, d) => out[8 * 5 + d]);
  };
  for (const directions of [4, 8] as const) {
    const step = 8 / directions;
    for (const bins of ["linear", "cosine"] as const) {
      const between = sumsOf(Math.PI / directions, { directions, bins });
      expect(between[0]).toBe(between[step]);
      const on = sumsOf(0, { directions, bins });
      expect(on.indexOf(Math.max(...on))).toBe(0);
      expect(bins === "linear" ? on[step] === 0 : on[step] > 0 && on[step] < on[0] / 2).toBe(true);
      expect(directions === 4 ? [1, 3, 5, 7].map((d) => between[d] + on[d]) : [0]).toEqual(
        directions === 4 ? [0, 0, 0, 0] : [0],
      );
    }
  }
});
