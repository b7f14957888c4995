import { expect, test } from "vitest";
import { DESCRIPTOR_LENGTH } from "../../../src/core/keypoints.js";
import { randomStreams } from "../../../src/core/random.js";
import { loadKernel } from "../../../src/gpu/wgsl/kernel.js";
import { Shader } from "../../../src/gpu/wgsl/shader.js";
import { Workspace } from "../../../src/gpu/workspace.js";
import { gatherKeypoints, memoryFor } from "../../../src/pixels/features/sift/gather.js";
import { LAYERS } from "../../../src/pixels/features/sift/scale-space.js";
import { spaceOf } from "../../../src/pixels/features/sift/space.js";
import { useSoftwareSession } from "../../gpu/software-session.js";

const session = useSoftwareSession();
const text = (name: string) => new URL(`../../../src/pixels/features/sift/${name}.wgsl`, import.meta.url);
const layoutOf = (kernel: string, struct: string) => new Shader(text(kernel)).struct(struct);
const layouts = { place: layoutOf("refine", "Place"), oriented: layoutOf("orientation", "Oriented") };
const HEIGHTS = [700, 5, 3];

/** Places in any order, and their directions in any order; several extrema have moved to one pixel, and one lies at the largest. */
function scattered(count: number) {
  const stream = randomStreams(7).next().value;
  const below = (n: number) => Math.floor(stream.uniform(0, n));
  const places = Array.from({ length: count }, (_, p) => {
    const octave = below(3);
    const [layer, row, column] = [1 + below(3), below(HEIGHTS[octave]), p === 0 ? 65535 : below(30)];
    const [x, y] = [column + below(4) / 8, row + below(4) / 8];
    return { octave, layer, row, column, x, y, angles: Array.from({ length: below(5) }, () => stream.uniform(0, 6)) };
  });
  const oriented = places.flatMap(({ angles }, place) => angles.map((angle) => ({ place, angle: Math.fround(angle) })));
  for (let k = oriented.length - 1; k > 0; k--) {
    const other = below(k + 1);
    [oriented[k], oriented[other]] = [oriented[other], oriented[k]];
  }
  const words = layouts.place.pack(
    places.map(({ octave, layer, row, column, x, y }, p) => ({
      ...{ x, y, sigma: 2, response: p, pixel: row * 65536 + column, level: octave + 256 * layer },
    })),
  );
  return { places, oriented, words };
}

test("a device sorts keypoints by octave, layer, row, column, place and angle, whatever the order of its lists", async () => {
  const { places, oriented, words } = scattered(900);
  const device = session();
  const starts = await loadKernel(device, text("row-starts"));
  const [fill, sort] = await Promise.all(
    ["row-fill", "row-sort"].map((name) => loadKernel(device, text(name), { constants: { LAYERS } })),
  );
  const octaves = HEIGHTS.map((height) => ({ offset: 0, width: 0, height, firstGroup: 0 }));
  const room = { candidateRoom: 0, placeRoom: places.length, keypointRoom: oriented.length };
  const work = new Workspace(device, "rows");
  const space = spaceOf(octaves, { ...room, soft: 0, peak: 0, edge: 0, orientations: 4 });
  work.uniform("space", fill.struct("Space"), space);
  const counts = new Uint32Array(4 * Math.ceil((3 * HEIGHTS.reduce((a, b) => a + b)) / 4));
  for (const { place } of oriented) {
    const { octave, layer, row } = places[place];
    counts[3 * HEIGHTS.slice(0, octave).reduce((a, b) => a + b, 0) + (layer - 1) * HEIGHTS[octave] + row]++;
  }
  work.upload("counters", Uint32Array.of(0, places.length, oriented.length, 0, 0, 0));
  work.upload("places", words);
  work.upload("keypoints", layouts.oriented.pack(oriented));
  work.upload("rows", counts);
  work.storage("slots", oriented.length);
  work.storage("sorted", layouts.oriented.words * oriented.length);
  const steps = [starts, fill, sort].map((kernel) => ({ kernel, groups: [kernel === starts ? 1 : 5] as const }));
  const record = (encoder: GPUCommandEncoder) => work.record(encoder, steps);
  const found = await work.run(record, [{ name: "sorted" }], ([sorted]) => sorted.slice().buffer);
  work.destroy();
  const expected = [...oriented].sort((a, b) => {
    const [p, q] = [places[a.place], places[b.place]];
    const byPlace = p.octave - q.octave || p.layer - q.layer || p.row - q.row || p.column - q.column || p.y - q.y;
    return byPlace || p.x - q.x || a.place - b.place || a.angle - b.angle;
  });
  expect(layouts.oriented.unpack(found)).toEqual(expected);
});

test("the words of a device's lists become keypoints in pixels of the input, in memory that was made before", () => {
  const { places, oriented, words } = scattered(300);
  const byPlace = oriented.sort((a, b) => a.place - b.place);
  const n = byPlace.length;
  const lists = {
    places: words,
    oriented: layouts.oriented.pack(byPlace),
    descriptors: Uint32Array.from({ length: (n * DESCRIPTOR_LENGTH) / 4 }, (_, w) => w + 1),
  };
  const memory = memoryFor(n + 10);
  const found = gatherKeypoints(lists, layouts, -1, memory);
  expect(found.x.buffer).toBe(memory.x.buffer);
  expect(gatherKeypoints(lists, layouts, -1, memoryFor(n - 1))).toEqual(found);
  expect([...found.angle]).toEqual(byPlace.map(({ angle }) => angle));
  expect([...found.response]).toEqual(byPlace.map(({ place }) => place));
  const scale = ({ place }: { place: number }) => 2 ** (places[place].octave - 1);
  expect([...found.x]).toEqual(byPlace.map((one) => places[one.place].x * scale(one)));
  expect([...found.y]).toEqual(byPlace.map((one) => places[one.place].y * scale(one)));
  expect([...found.sigma]).toEqual(byPlace.map((one) => 2 * scale(one)));
  expect([...new Uint32Array(found.descriptors.buffer, 0, (n * DESCRIPTOR_LENGTH) / 4)]).toEqual([
    ...lists.descriptors,
  ]);
  const numbers = [...new Set(byPlace.map(({ place }) => place))];
  expect([...found.place]).toEqual(byPlace.map(({ place }) => numbers.indexOf(place)));
});
