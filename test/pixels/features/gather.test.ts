import { expect, test } from "vitest";
import { DESCRIPTOR_LENGTH } from "../../../src/core/keypoints.js";
import { randomStreams } from "../../../src/core/random.js";
import { Shader } from "../../../src/gpu/wgsl/shader.js";
import { gatherKeypoints } from "../../../src/pixels/features/sift/gather.js";

const kernel = (name: string) => new Shader(new URL(`../../../src/pixels/features/sift/${name}.wgsl`, import.meta.url));
const layouts = { place: kernel("refine").struct("Place"), oriented: kernel("orientation").struct("Oriented") };

test("keypoints lie by octave, layer, row, column, place and angle, whatever the order of the device's lists", () => {
  const stream = randomStreams(7).next().value;
  const below = (n: number) => Math.floor(stream.uniform(0, n));
  // Few rows and columns, so that many extrema have moved to one pixel; and one at the largest.
  const places = Array.from({ length: 300 }, (_, p) => {
    const [octave, layer, row, column] = [
      below(3),
      1 + below(3),
      p === 0 ? 65535 : below(5),
      p === 0 ? 65535 : below(300),
    ];
    const [x, y] = [column + below(4) / 8, row + below(4) / 8];
    return { octave, layer, row, column, x, y, angles: Array.from({ length: below(5) }, () => stream.uniform(0, 6)) };
  });
  const oriented = places.flatMap(({ angles }, place) => angles.map((angle) => ({ place, angle: Math.fround(angle) })));
  for (let k = oriented.length - 1; k > 0; k--) {
    const other = below(k + 1);
    [oriented[k], oriented[other]] = [oriented[other], oriented[k]];
  }
  const lists = {
    places: layouts.place.pack(
      places.map(({ octave, layer, row, column, x, y }, p) => ({
        x,
        y,
        sigma: 2,
        response: p,
        pixel: row * 65536 + column,
        level: octave + 256 * layer,
      })),
    ),
    oriented: layouts.oriented.pack(oriented),
    descriptors: Uint32Array.from({ length: (oriented.length * DESCRIPTOR_LENGTH) / 4 }, (_, w) => w + 1),
  };
  const expected = [...oriented.entries()].sort(([, a], [, b]) => {
    const [p, q] = [places[a.place], places[b.place]];
    const byPlace = p.octave - q.octave || p.layer - q.layer || p.row - q.row || p.column - q.column || p.y - q.y;
    return byPlace || p.x - q.x || a.place - b.place || a.angle - b.angle;
  });
  const found = gatherKeypoints(lists, layouts, -1);
  expect([...found.angle]).toEqual(expected.map(([, { angle }]) => angle));
  expect([...found.response]).toEqual(expected.map(([, { place }]) => place));
  expect([...found.x]).toEqual(expected.map(([, { place }]) => places[place].x * 2 ** (places[place].octave - 1)));
  const words = new Uint32Array(found.descriptors.buffer);
  expect(expected.every(([k], to) => words[32 * to] === 32 * k + 1 && words[32 * to + 31] === 32 * k + 32)).toBe(true);
  expect(
    [...found.place].every(
      (p, k) => p === (k && found.place[k - 1] + Number(expected[k][1].place !== expected[k - 1][1].place)),
    ),
  ).toBe(true);
});
