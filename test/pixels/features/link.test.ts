import { describe, expect, test } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { KLT_STATUS, type KltTracks } from "../../../src/pixels/features/klt-options.js";
import { cameraBends, cameraMoves } from "../../../src/pixels/features/link/camera.js";
import { carryOver } from "../../../src/pixels/features/link/carry.js";
import { homographyLinks, kltLinks, nearestLinks } from "../../../src/pixels/features/link/chains.js";
import { pairRows, tripletRows } from "../../../src/pixels/features/link/instance.js";
import { fitLogistic } from "../../../src/pixels/features/link/logistic.js";
import { type Candidate, findCandidates, LINK_WEIGHTS, pairCost } from "../../../src/pixels/features/link/pairs.js";
import { compareAppearance, joinPlaces, type Places, placesOf } from "../../../src/pixels/features/link/places.js";
import { scaleSpace } from "../../../src/pixels/features/sift/scale-space.js";
import { detectSiftOnCpu, SIFT_DEFAULTS } from "../../../src/pixels/features/sift/sift.js";
import { blobImage, scatteredBlobs } from "./images.js";

/** Places with one direction each and descriptors of their own; `numbers` names whose. */
function placesAt(points: readonly (readonly [number, number])[], numbers = points.map((_, k) => k)): Places {
  const n = points.length;
  const descriptors = new Uint8Array(128 * n);
  numbers.forEach((number, k) => {
    const stream = randomStreams(number + 1).next().value;
    for (let d = 0; d < 128; d++) descriptors[128 * k + d] = Math.floor(stream.uniform(0, 90));
  });
  return {
    count: n,
    x: Float32Array.from(points, ([x]) => x),
    y: Float32Array.from(points, ([, y]) => y),
    sigma: new Float32Array(n).fill(2),
    keypointStart: Uint32Array.from({ length: n + 1 }, (_, k) => k),
    angle: new Float32Array(n),
    descriptors,
    carried: new Uint8Array(n),
  };
}

function tracksTo(points: readonly (readonly [number, number] | null)[]): KltTracks {
  return {
    x: Float32Array.from(points, (point) => point?.[0] ?? 0),
    y: Float32Array.from(points, (point) => point?.[1] ?? 0),
    status: Uint8Array.from(points, (point) => (point === null ? KLT_STATUS.flat : KLT_STATUS.tracked)),
    residual: new Float32Array(points.length),
    lastStep: new Float32Array(points.length),
    iterations: new Uint32Array(points.length),
  };
}

const grid = Array.from({ length: 12 }, (_, k): [number, number] => [40 + 60 * (k % 4), 40 + 50 * Math.floor(k / 4)]);

test("appearance is the least distance over pairs of directions, with the turn of that pair", () => {
  const [a, b] = [
    placesAt([[0, 0]], [1]),
    placesAt(
      [
        [0, 0],
        [0, 0],
      ],
      [2, 1],
    ),
  ];
  const both = { ...b, count: 1, keypointStart: Uint32Array.of(0, 2), angle: Float32Array.of(0.3, 1.5) };
  expect(compareAppearance(a, 0, both, 0).distance).toBe(0);
  expect(compareAppearance(a, 0, both, 0).turn).toBeCloseTo(1.5);
});

describe("candidates", () => {
  test("lie in the gate, nearest descriptors first, with the turn against the frame's own", () => {
    const a = placesAt(grid);
    const turned = placesAt(grid.map(([x, y]) => [x + 5, y - 3]));
    turned.angle.fill(0.4);
    turned.angle[2] = 1.4;
    const moved = tracksTo(grid.map(([x, y], k) => (k === 3 ? null : [x + 5, y - 3])));
    const found = findCandidates(a, turned, moved, { gate: 40, nearest: 8 });
    expect(found.map(({ i, j }) => [i, j])).toEqual(grid.map((_, k) => [k, k]));
    expect(found[2].turn).toBeCloseTo((1 * 180) / Math.PI, 3);
    expect(found[0].turn).toBeCloseTo(0, 4);
    expect(found[3].residual).toBeNull();
    expect(found[4].residual).toBeCloseTo(0, 5);
  });

  test("cost less the more alike they are", () => {
    const sure: Candidate = {
      i: 0,
      j: 0,
      distance: 80,
      scale: 0.02,
      turn: 1,
      residual: 0.1,
      camera: 0.2,
      rival: 200,
      rivalBack: 200,
    };
    const cost = (change: Partial<Candidate>) => pairCost({ ...sure, ...change }, LINK_WEIGHTS, 0);
    expect(cost({})).toBeLessThan(-3);
    expect(cost({ distance: 300 })).toBeGreaterThan(cost({}));
    expect(cost({ scale: 0.5 })).toBeGreaterThan(cost({}));
    expect(cost({ turn: 60 })).toBeGreaterThan(cost({}));
    expect(cost({ residual: 8 })).toBeGreaterThan(cost({ residual: 1 }));
    // Where KLT is lost or mistaken, the camera's motion speaks for a place that moves with it.
    for (const residual of [null, 9]) {
      expect(cost({ residual, camera: 15 })).toBeGreaterThan(cost({ residual, camera: 0.3 }) + 1);
      expect(cost({ residual, camera: null })).toBe(cost({ residual, camera: 15 }));
    }
    expect(cost({ rival: 70 })).toBeGreaterThan(cost({}));
    expect(cost({ rivalBack: 70 })).toBeGreaterThan(cost({}));
    expect(pairCost(sure, LINK_WEIGHTS, 1.5) - cost({})).toBeCloseTo(1.5);
  });
});

test("a candidate's rivals are the nearest others of either place", () => {
  // Descriptors of one byte that counts: distances are differences.
  const withBytes = (bytes: readonly number[]): Places => {
    const places = placesAt(bytes.map((_, k) => [50 + 3 * k, 50]));
    places.descriptors.fill(0);
    bytes.forEach((byte, k) => {
      places.descriptors[128 * k] = byte;
    });
    return places;
  };
  const [a, b] = [withBytes([10, 100]), withBytes([12, 40, 96])];
  const moved = tracksTo([null, null]);
  const rival = (nearest: number) =>
    findCandidates(a, b, moved, { gate: 40, nearest }).map((one) => [one.i, one.j, one.rival, one.rivalBack]);
  expect(rival(8)).toEqual([
    [0, 0, 30, 88],
    [0, 1, 2, 60],
    [0, 2, 2, 4],
    [1, 2, 60, 86],
    [1, 1, 4, 30],
    [1, 0, 4, 2],
  ]);
  const none = Number.POSITIVE_INFINITY;
  expect(rival(1)).toEqual([
    [0, 0, none, none],
    [1, 2, none, none],
  ]);
});

test("triplets: a straight path is rewarded, a sharp bend is not, and the camera's own bend does not count", () => {
  const frames = [0, 1, 2].map((t) => placesAt([[100 + 10 * t, 50]]));
  const shaken = [frames[0], frames[1], placesAt([[126, 50]])];
  const links = [
    [0, 0, 0, -5],
    [1, 0, 0, -5],
  ];
  const reward = Math.log(64 / (2 * 1.44));
  const none = [null, null, null];
  expect(tripletRows(links, frames, none)).toEqual([[0, 0, 0, 0, -reward]]);
  expect(tripletRows(links, shaken, none)[0][4]).toBeCloseTo(36 / 2.88 - reward, 4);
  const camera = { x: Float64Array.of(6), y: Float64Array.of(0) };
  expect(tripletRows(links, shaken, [null, camera, null])[0][4]).toBeCloseTo(-reward, 4);
  // Something that keeps still against the camera's field is not punished either.
  expect(tripletRows(links, frames, [null, camera, null])[0][4]).toBeCloseTo(-reward, 4);
  const far = [frames[0], frames[1], placesAt([[140, 50]])];
  expect(tripletRows(links, far, none)[0][4]).toBe(3);
});

test("pairs beyond what is kept are left out", () => {
  const near: Candidate = {
    i: 1,
    j: 2,
    distance: 80,
    scale: 0,
    turn: 0,
    residual: 0,
    camera: 0,
    rival: 300,
    rivalBack: 300,
  };
  const rows = pairRows([[near, { ...near, i: 3, distance: 500, scale: 1.5, residual: 12 }]], {
    weights: LINK_WEIGHTS,
    bias: 0,
    keep: 4,
  });
  expect(rows.length).toBe(1);
  expect(rows[0].slice(0, 3)).toEqual([0, 1, 2]);
});

test("the camera's bend is an affine field that movers do not disturb", () => {
  const field = (x: number, y: number) => [1 + 0.01 * x - 0.005 * y, -2 + 0.004 * x + 0.008 * y];
  const places = placesAt(grid);
  const next = tracksTo(
    grid.map(([x, y], k) => (k % 6 === 5 ? [x + 25, y - 20] : [x + field(x, y)[0], y + field(x, y)[1]])),
  );
  const before = tracksTo(grid.map((point, k) => (k === 7 ? null : point)));
  const bends = cameraBends(places, next, before, 300, 200);
  for (const [k, [x, y]] of grid.entries()) {
    expect(bends.x[k]).toBeCloseTo(field(x, y)[0], 1);
    expect(bends.y[k]).toBeCloseTo(field(x, y)[1], 1);
  }
  const lost = cameraBends(places, tracksTo(grid.map(() => null)), before, 300, 200);
  expect([...lost.x, ...lost.y].every((bend) => bend === 0)).toBe(true);
});

test("the camera's motion is an affine field, though a third of the tracks are of targets that move on their own", () => {
  const places = placesAt(grid);
  const field = (x: number, y: number) => [7 + 0.02 * x - 0.01 * y, -4 + 0.015 * y];
  const next = tracksTo(
    grid.map(([x, y], k) => (k % 3 === 2 ? [x - 6 - k, y + 9] : [x + field(x, y)[0], y + field(x, y)[1]])),
  );
  const moves = cameraMoves(places, next, 300, 200);
  for (const [k, [x, y]] of grid.entries()) {
    expect(moves?.x[k]).toBeCloseTo(field(x, y)[0], 1);
    expect(moves?.y[k]).toBeCloseTo(field(x, y)[1], 1);
  }
  expect(cameraMoves(places, tracksTo(grid.map((point, k) => (k < 2 ? point : null))), 300, 200)).toBeNull();
  const [found] = findCandidates(places, places, next, { gate: 5, nearest: 8 }, moves);
  expect(found.camera).toBeCloseTo(Math.hypot(...field(...grid[0])), 1);
});

describe("chains", () => {
  const order = [3, 1, 0, 2, 5, 4, 7, 6, 9, 8, 11, 10];
  const a = placesAt(grid);
  const b = placesAt(
    order.map((k) => [grid[k][0] + 6, grid[k][1] + 2]),
    order,
  );
  const right = grid.map((_, k) => order.indexOf(k));

  test("by nearest descriptors, KLT and a homography find the same links", () => {
    expect([...nearestLinks(a, b, 40)]).toEqual(right);
    expect([...homographyLinks(a, b, 40, 1)]).toEqual(right);
    const moved = tracksTo(grid.map(([x, y], k) => (k === 4 ? null : [x + 6.5, y + 2])));
    expect([...kltLinks(a, b, moved)]).toEqual(right.map((j, k) => (k === 4 ? -1 : j)));
  });

  test("of two that look alike neither is taken, and nothing beyond the gate", () => {
    const twins = placesAt(
      [...grid.map(([x, y]): [number, number] => [x + 6, y + 2]), [grid[0][0] + 9, grid[0][1]]],
      [...grid.keys(), 0],
    );
    expect(nearestLinks(a, twins, 40)[0]).toBe(-1);
    expect([...nearestLinks(a, b, 3)].every((j) => j === -1)).toBe(true);
  });
});

test("a missed place is carried with the descriptor it would have had, and no longer than allowed", () => {
  const image = blobImage(96, 80, scatteredBlobs(120, 96, 80, 1.2, 6));
  const octaves = [...scaleSpace(image, -1)];
  const all = placesOf(detectSiftOnCpu(image, SIFT_DEFAULTS, false, octaves).keypoints);
  const k = [...all.x.keys()].find((p) => all.x[p] > 20 && all.x[p] < 76 && all.y[p] > 20 && all.y[p] < 60) as number;
  const still = tracksTo([...all.x].map((x, p) => [x, all.y[p]]));
  const none = { ...placesAt([]), keypointStart: Uint32Array.of(0) };
  // Everything is there: nothing is carried.
  expect(carryOver(all, all, still, octaves, 2).count).toBe(all.count);
  const carried = carryOver(all, none, still, octaves, 2);
  const inside = [...all.x.keys()].filter((p) => all.x[p] > 8 && all.y[p] > 8 && all.x[p] < 87 && all.y[p] < 71);
  expect(carried.count).toBe(inside.length);
  const distances = inside.map((p, n) => compareAppearance(all, p, carried, n).distance).sort((x, y) => x - y);
  expect(distances[Math.floor(distances.length / 2)]).toBeLessThan(60);
  expect(inside).toContain(k);
  const twice = carryOver(carried, none, tracksTo([...carried.x].map((x, p) => [x, carried.y[p]])), octaves, 1);
  expect(twice.count).toBe(0);
});

test("thousands of places are carried over several frames, those of which a detection is within 2.5 pixels not", () => {
  const stream = randomStreams(3).next().value;
  const side = 400;
  const points = Array.from({ length: 2600 }, (): [number, number] => [stream.uniform(9, 390), stream.uniform(9, 390)]);
  const octaves = [...scaleSpace(blobImage(side, side, []), 0)];
  let before = placesAt(points);
  for (let frame = 0; frame < 4; frame++) {
    const here = placesAt(points.slice(0, 1300));
    const moved = tracksTo(
      [...before.x].map((x, k) => [x + stream.uniform(-2, 2), before.y[k] + stream.uniform(-2, 2)]),
    );
    const isFree = (k: number) =>
      points
        .slice(0, 1300)
        .every(([x, y]) => Math.hypot(moved.x[k] - Math.fround(x), moved.y[k] - Math.fround(y)) > 2.5);
    const isInside = (k: number) => [moved.x[k], moved.y[k]].every((value) => value > 8 && value < side - 9);
    const kept = [...before.x.keys()].filter((k) => isInside(k) && isFree(k));
    const after = carryOver(before, here, moved, octaves, 9);
    expect([...after.x.subarray(1300)]).toEqual(kept.map((k) => moved.x[k]));
    expect(after.count).toBeGreaterThan(2000);
    expect(after.descriptors.length).toBe(128 * after.keypointStart[after.count]);
    before = after;
  }
});

test("joined places keep their keypoints", () => {
  const joined = joinPlaces(placesAt(grid.slice(0, 3)), placesAt(grid.slice(3, 5), [3, 4]));
  expect([...joined.keypointStart]).toEqual([0, 1, 2, 3, 4, 5]);
  expect(compareAppearance(joined, 4, placesAt(grid), 4).distance).toBe(0);
});

describe("logistic regression", () => {
  const stream = randomStreams(5).next().value;
  const truth = [0.5, -2, 1];
  const terms = Array.from({ length: 4000 }, () => [1, stream.uniform(-2, 2), stream.uniform(-2, 2)]);
  const odds = terms.map((row) => row.reduce((sum, term, k) => sum + term * truth[k], 0));
  const isTrue = odds.map((value) => stream.uniform(0, 1) < 1 / (1 + Math.exp(-value)));

  test("finds the weights that drew the labels", () => {
    const { weights } = fitLogistic({ terms, isTrue });
    for (const [k, weight] of weights.entries()) expect(Math.abs(weight - truth[k])).toBeLessThan(0.15);
  });

  test("stays finite where the labels can be told apart, and refuses labels of one kind", () => {
    const { weights } = fitLogistic({
      terms: terms.slice(0, 200),
      isTrue: odds.slice(0, 200).map((value) => value > 0),
    });
    expect(weights.every(Number.isFinite)).toBe(true);
    expect(() => fitLogistic({ terms, isTrue: terms.map(() => true) })).toThrow("both kinds");
  });
});
