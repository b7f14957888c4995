import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { priceDetections } from "../../src/costs/price-detections.js";
import {
  type CostArrays,
  type DetectionArrays,
  detect,
  type EvaluateOptions,
  evaluate,
  flow,
  solve,
  type TrackOptions,
  track,
} from "../../src/run/library/index.js";
import { rmap, scenarios } from "../cli/rmap.js";
import { noiseImage, withSpots } from "../pixels/blobs/spots.js";

/** Four targets on straight lines with bends, in rows of falling frame numbers from 9 on, every third frame. */
const rows = Array.from({ length: 40 }, (_, n) => ({ p: 9 - Math.floor(n / 4), k: n % 4 }));
const bend = (p: number, k: number) => Math.sin(1.3 * p + k) / 8;
const arrays = {
  frame: rows.map(({ p }) => 9 + 3 * p),
  x: rows.map(({ p, k }) => 10 * k + (1 + k) * p + bend(p, k)),
  y: Float32Array.from(rows, ({ p, k }) => 3 * k - p + bend(p, k + 1)),
  target: Int32Array.from(rows, ({ k }) => k),
};
const options = { device: "cpu", threads: 1 } as const;

describe("track", () => {
  test("answers by the rows of its arrays what the command line answers for a file of the same rows", async () => {
    const { frame, x, y, target } = arrays;
    const answer = await track(arrays, { ...options, gap: 0 });
    const folder = mkdtempSync(join(tmpdir(), "rmap-library-"));
    const lines = frame.map((number, n) => `${number},${x[n]},${y[n]},${target[n]}\n`);
    writeFileSync(join(folder, "rows.csv"), `# dt=1\nframe,x,y,target\n${lines.join("")}`);
    const { code } = await rmap(["solve", "rows.csv", "-o", "out", "--gap", "0", "--device", "cpu"], { cwd: folder });
    expect(code).toBe(0);
    const read = (name: string) => readFileSync(join(folder, "out", name), "utf8");
    const result = JSON.parse(read("result.json"));
    expect(answer.lowerBound).toBe(result.lowerBound);
    expect(answer.upperBound).toBe(result.upperBound);
    expect(answer.status).toBe(result.status);
    expect(answer.result.scores).toEqual(result.scores);
    expect(answer.proof).toBe(read("proof.json"));
    const [step, header, ...tracked] = read("tracks.csv").trimEnd().split("\n");
    expect(step).toBe("# step=3");
    expect(header).toMatch(/^frame,detection,track,x,y,margin/);
    // The file has the frames in order, and within a frame the rows.
    const byFrame = rows.map((_, n) => n).sort((a, b) => frame[a] - frame[b] || a - b);
    tracked.forEach((line, n) => {
      const [number, , name, , , margin] = line.split(",");
      const row = byFrame[n];
      expect([frame[row], answer.tracks?.[row]]).toEqual([Number(number), Number(name)]);
      expect(answer.margins?.link[row]).toBe(margin === "" ? Number.NaN : Number(margin));
    });
    writeFileSync(join(folder, "out/proof.json"), answer.proof ?? "");
    expect((await rmap(["check", "out/proof.json", "rows.csv"], { cwd: folder })).code).toBe(0);
  });

  test.each<[string, () => unknown, string]>([
    [
      "an array that is missing",
      () => track({ frame: [0, 1], x: [1, 2] } as unknown as DetectionArrays),
      "track, y: is missing; give an array or a typed array of numbers",
    ],
    [
      "no arrays",
      () => track({ ...arrays, x: "ten" } as unknown as DetectionArrays),
      "track, x: is of the type string; give an array or a typed array of numbers",
    ],
    [
      "arrays of other lengths",
      () => track({ ...arrays, x: [1, 2] }),
      "track, x: has 2 numbers, but frame has 40; give one number for each in every array",
    ],
    [
      "a negative frame",
      () => track({ frame: [0, -1], x: [1, 2], y: [1, 2] }),
      "track, frame[1]: is -1; give an integer from 0 to 9007199254740991",
    ],
    [
      "half a frame",
      () => track({ frame: [0, 0.5], x: [1, 2], y: [1, 2] }),
      "track, frame[1]: is 0.5; give an integer from 0 to 9007199254740991",
    ],
    [
      "NaN",
      () => track({ frame: [0, 1], x: [Number.NaN, 2], y: [1, 2] }),
      "track, x[0]: is NaN; give a finite number below 1e15 in size",
    ],
    [
      "text for a number",
      () => track({ frame: [0, 1], x: ["1", 2], y: [1, 2] } as unknown as DetectionArrays),
      'track, x[0]: is "1"; give a finite number below 1e15 in size',
    ],
    [
      "half a velocity",
      () => track({ frame: [0, 1], x: [1, 2], y: [1, 2], vx: [1, 2], vy: [Number.NaN, 2] }),
      "track, vx[0]: is 1, and vy[0] NaN; give both or NaN in both",
    ],
    [
      "one frame",
      () => track({ frame: [4, 4], x: [1, 2], y: [1, 2] }),
      "track, frame[0]: 4 is the only frame; give detections of two frames or more",
    ],
    [
      "nothing",
      () => track({ frame: [], x: [], y: [] }),
      "track, frame: is empty; give detections of two frames or more",
    ],
    [
      "a target twice in a frame",
      () => track({ frame: [0, 1, 1], x: [1, 2, 3], y: [1, 2, 3], target: [1, 1, 1] }),
      "track, target[2]: is 1 in frame 1, as target[1] is; a target has one detection in a frame: correct one, or give -1",
    ],
    [
      "another array",
      () => track({ ...arrays, w: [1] } as unknown as DetectionArrays),
      "track, w: is no array of detections; known are frame, x, y, z, vx, vy, vz, target, attributes",
    ],
    [
      "a gate without its kind",
      () => track(arrays, { gate: 5 } as unknown as TrackOptions),
      'track, gate: is 5; give {"epsilon": number above 0}, {"radius": length above 0}, {"tripletEpsilon": …}, "none" or "auto"',
    ],
    [
      "a device that is none",
      () => track(arrays, { device: "gpuu" } as unknown as TrackOptions),
      'track, device: is "gpuu"; give one of "auto", "gpu", "software", "cpu" (perhaps "gpu")',
    ],
    [
      "costs of other lengths",
      () => solve({ pairs: { frame: [0, 0], i: [0, 0], j: [0, 1], cost: [1] } }),
      "solve, pairs, cost: has 1 numbers, but frame has 2; give one number for each in every array",
    ],
    [
      "a cost that is not finite",
      () => solve({ pairs: { frame: [0], i: [0], j: [0], cost: [Number.POSITIVE_INFINITY] } }),
      "solve, pairs.cost[0]: is Infinity; give a finite number below 1e30 in size",
    ],
    [
      "no costs",
      () => solve({} as unknown as CostArrays),
      "solve: has no pairs; give a path, or an object { pairs: { frame, i, j, cost } }",
    ],
    [
      "a name of costs that is not known, whose costs would be left out",
      () => solve({ pairs: { frame: [0], i: [0], j: [0], cost: [1] }, unsued: 3 } as unknown as CostArrays),
      "solve, unsued: is not a known key; perhaps unused is meant; known are pairs, triplets, counts, birth, death, ends, unused, divisions, exclusions, absentTriplets",
    ],
    [
      "a word for absent triplets that is not known",
      () =>
        solve({
          pairs: { frame: [0], i: [0], j: [0], cost: [1] },
          absentTriplets: "fre",
        } as unknown as CostArrays),
      'solve, absentTriplets: is "fre"; give one of "forbidden", "free" (perhaps "free")',
    ],
    [
      "progress that cannot be called",
      () => track(arrays, { progress: 5 } as unknown as TrackOptions),
      "track, progress: is 5; give a function",
    ],
    [
      "a signal that is none",
      () => track(arrays, { signal: 5 } as unknown as TrackOptions),
      "track, signal: is 5; give an AbortSignal",
    ],
    [
      "a birth without a death",
      () => solve({ pairs: { frame: [0], i: [0], j: [0], cost: [1] }, birth: 1 }),
      "solve: gives birth but no death; give death too, or neither",
    ],
    [
      "frames of unequal size",
      () => solve({ pairs: { frame: [0, 0], i: [0, 0], j: [0, 1], cost: [1, 2] } }),
      "solve: has 1 detections in frame 0 and 2 in frame 1; give birth and death, or correct the pairs",
    ],
    [
      "a detection beyond the counts",
      () => solve({ pairs: { frame: [0], i: [0], j: [1], cost: [1] }, counts: [1, 1] }),
      "solve, pairs[0], column j: 1 in frame 1, which has 1 detections; correct it or the counts",
    ],
    [
      "tracks of other lengths",
      () => evaluate(arrays, [1]),
      "evaluate, tracks: has 1 numbers, but frame has 40; give one number for each in every array",
    ],
    [
      "a track twice in a frame",
      () => evaluate({ frame: [1, 0, 1], x: [1, 2, 3], y: [1, 2, 3], target: [0, 0, 1] }, [4, 5, 4]),
      "evaluate, tracks[2]: is 4, as that of entry 0, which is of the same frame; a track has one detection in a frame: correct one, or give -1",
    ],
    [
      "a track with two points in a frame",
      () =>
        evaluate(
          { frame: [0, 1, 1], x: [1, 2, 3], y: [1, 2, 3], target: [0, 0, 1] },
          { frame: [1, 0, 1], x: [1, 2, 3], y: [1, 2, 3], track: [4, 5, 4] },
          { reach: 1 },
        ),
      "evaluate, tracks.track[2]: is 4, as that of entry 0, which is of the same frame; a track has one detection in a frame: correct one, or give -1",
    ],
    [
      "no tracks",
      () => evaluate(arrays, undefined as unknown as number[]),
      "evaluate, tracks: is missing; give an array or a typed array of numbers",
    ],
    [
      "an option of scores that is not known",
      () => evaluate(arrays, [1], { raech: 1 } as EvaluateOptions),
      "evaluate, raech: is not a known key; perhaps reach is meant; known are reach, mothers, frameBuffer",
    ],
    [
      "an image of no size",
      () => detect({ width: 0, height: 1, samples: [] }),
      "detect, image, width: is 0; give a whole number above 0",
    ],
    [
      "a diameter where there are no spots",
      () => detect({ width: 9, height: 9, samples: new Uint8Array(81) }, { method: "harris", diameter: [3, 5] }),
      "detect, diameter: is for blobs, not harris; leave it out",
    ],
    [
      "contrast where there are no spots",
      () => detect({ width: 9, height: 9, samples: new Uint8Array(81) }, { contrast: 3 }),
      "detect, contrast: is for blobs, not sift; leave it out",
    ],
    [
      "an image of one value",
      () => detect({ width: 20, height: 20, samples: new Uint8Array(400) }, { method: "blobs" }),
      "detect, image: every pixel is 0; check how it was saved, or leave it out",
    ],
    [
      "too few samples",
      () => flow({ width: 2, height: 2, samples: [1] }, "b.png"),
      "flow, first image, samples: has 1 numbers for 2 × 2 pixels; give one a pixel",
    ],
  ])("refuses %s, with place, value and remedy", async (_, call, message) => {
    await expect((async () => call())()).rejects.toThrow(new InputError(message));
  });

  test("names the option that was probably meant", async () => {
    await expect(track(arrays, { gaet: "none" } as TrackOptions)).rejects.toThrow(
      /^track, gaet: is not a known key; perhaps gate is meant; known are device, threads, cost, /,
    );
  });

  test("stops at a signal, and certifies what it has", async () => {
    const { status, lowerBound, upperBound } = await track(arrays, { ...options, signal: AbortSignal.abort() });
    expect(status).toMatch(/^(stopped|optimal|gap)$/);
    expect(lowerBound).toBeLessThanOrEqual(upperBound);
  });
});

test("cost motion, which needs several solves, is refused by the function that prices once", async () => {
  const none = new Float64Array(0);
  const detections = { frames: 1, frameStart: new Uint32Array(2), x: none, y: none, vx: null, vy: null, target: null };
  const motion = { cost: "motion", gate: "auto", birthDeath: "auto" } as unknown as Parameters<
    typeof priceDetections
  >[1];
  await expect(priceDetections({ ...detections, timeStep: 1 }, motion)).rejects.toThrow(
    new InputError(
      "cost motion: is estimated from tracks in several solves; call track() of rmap, or choose another cost",
    ),
  );
});

describe("solve", () => {
  test("takes a path, as the command line does", async () => {
    const answer = await solve(join(scenarios, "tiny.json"), options);
    const { stdout } = await rmap(["solve", join(scenarios, "tiny.json"), "--json", "--device", "cpu"]);
    const { lowerBound, upperBound } = JSON.parse(stdout);
    expect([answer.lowerBound, answer.upperBound]).toEqual([lowerBound, upperBound]);
  });

  test("takes costs of one's own", async () => {
    // Without triplets straight on is cheaper; the triplet (0, 0, 0) makes it dearer than crossing twice.
    const pairs = {
      frame: [0, 0, 0, 0, 1, 1, 1, 1],
      i: [0, 0, 1, 1, 0, 0, 1, 1],
      j: [0, 1, 0, 1, 0, 1, 0, 1],
      cost: [1, 2, 2, 1, 1, 2, 2, 1],
    };
    const straight = await solve({ pairs }, options);
    expect(Array.from(straight.tracks ?? [])).toEqual([0, 1, 0, 1, 0, 1]);
    expect([straight.status, Math.round(straight.upperBound)]).toEqual(["optimal", 4]);
    const triplets = { frame: [0], i: [0], j: [0], k: [0], cost: [9] };
    const turned = await solve({ pairs, triplets, absentTriplets: "free" }, { ...options, gap: 0 });
    expect(Array.from(turned.tracks ?? [])).not.toEqual([0, 1, 0, 1, 0, 1]);
    expect([turned.status, Math.round(turned.upperBound)]).toEqual(["optimal", 6]);
  });
});

test("births and deaths by detection are the same in the library, a folder, its proof and its program", async () => {
  // One track through three frames may be cut before or after detection 0 of frame 1: only an end and a start there are cheap.
  const pairs = { frame: [0, 1], i: [0, 0], j: [0, 0], cost: [5, 5] };
  const ends = { frame: [0, 1, 2], i: [0, 0, 0], birth: [1, 1.5, 4], death: [2.25, 8, 16] };
  const answer = await solve({ pairs, ends }, { ...options, gap: 0 });
  expect([answer.status, answer.upperBound]).toEqual(["optimal", 2.25 + 1.5 + 5]);
  const folder = mkdtempSync(join(tmpdir(), "rmap-ends-"));
  writeFileSync(join(folder, "pairs.csv"), "frame,i,j,cost\n0,0,0,5\n1,0,0,5\n");
  writeFileSync(join(folder, "ends.csv"), "frame,i,birth,death\n2,0,4,16\n1,0,1.5,8\n0,0,1,2.25\n");
  const command = ["solve", ".", "-o", "out", "--gap", "0", "--device", "cpu"];
  expect((await rmap(command, { cwd: folder })).code).toBe(0);
  expect(readFileSync(join(folder, "out/proof.json"), "utf8")).toBe(answer.proof);
  expect((await rmap(["check", "out/proof.json", "."], { cwd: folder })).code).toBe(0);
  expect((await rmap(["model", ".", "-o", "all.lp"], { cwd: folder })).code).toBe(0);
  expect(readFileSync(join(folder, "all.lp"), "utf8")).toMatch(/ \+ 2\.25 x2\n \+ 8 x3\n \+ 1\.5 x4\n \+ 4 x5\n/);
  const other = { ...ends, i: [0, 0, 1] };
  await expect(solve({ pairs, ends: other }, options)).rejects.toThrow(
    new InputError(
      "solve, ends[2], column i: 1 in frame 2, which has 1 detections; correct it or add the pairs it needs",
    ),
  );
});

/** A GPU, shards and windows say in one line that they do not take what a folder has. */
async function refusedElsewhere(folder: string): Promise<void> {
  const none = "unused detections and exclusions: ";
  for (const [args, says] of [
    [["--device", "software"], `${none}a GPU's kernels know neither; use --device cpu`],
    [["--device", "cpu", "--shards", "2"], `${none}shards know neither; leave --shards out`],
    [["--window", "5"], "a folder is not read as a stream; leave --window out"],
  ] as const) {
    const { code, stderr } = await rmap(["solve", folder, ...args, "-q"]);
    expect({ code, lines: stderr.trim().split("\n").length }).toEqual({ code: 2, lines: 1 });
    expect(stderr).toContain(says);
  }
}

test("exclusions are the same in the library and a folder, and its proof holds for that alone", async () => {
  // Two hypotheses in each frame, of which the first ones are worth 3 a link and the others 2; only one of the middle frame may be used.
  const pairs = { frame: [0, 0, 1, 1], i: [0, 1, 0, 1], j: [0, 1, 0, 1], cost: [-3, -2, -3, -2] };
  const exclusions = { frame: [1, 1], i: [0, 1], set: [5, 5] };
  const given = { pairs, exclusions, birth: 1, death: 1, unused: 0 };
  const answer = await solve(given, { ...options, gap: 0 });
  expect([answer.status, answer.upperBound]).toEqual(["optimal", -6]);
  expect(Array.from(answer.tracks ?? [])).toEqual([0, 1, 0, 2, 0, 3]);
  // The other hypotheses are worth 2 less.
  for (const d of [0, 2]) {
    expect(answer.margins?.link[d]).toBeGreaterThan(0);
    expect(answer.margins?.link[d]).toBeLessThanOrEqual(2);
  }
  const folder = mkdtempSync(join(tmpdir(), "rmap-exclusions-"));
  writeFileSync(join(folder, "pairs.csv"), "frame,i,j,cost\n0,0,0,-3\n0,1,1,-2\n1,0,0,-3\n1,1,1,-2\n");
  writeFileSync(join(folder, "exclusions.csv"), "frame,i,set\n1,1,9\n1,0,9\n");
  writeFileSync(join(folder, "instance.json"), '{ "birth": 1, "death": 1, "unused": 0 }');
  expect((await rmap(["solve", ".", "-o", "out", "--gap", "0", "--device", "cpu"], { cwd: folder })).code).toBe(0);
  expect(readFileSync(join(folder, "out/proof.json"), "utf8")).toBe(answer.proof);
  expect((await rmap(["check", "out/proof.json", "."], { cwd: folder })).code).toBe(0);
  writeFileSync(join(folder, "exclusions.csv"), "frame,i,set\n1,1,9\n");
  expect((await rmap(["check", "out/proof.json", "."], { cwd: folder })).code).toBe(2);
  await refusedElsewhere(folder);
});

test("divisions are the same in the library and a folder: mothers, margins, proof", async () => {
  // One that divides in frame 1: the second daughter costs 1 − 3 instead of a birth of 10.
  const pairs = { frame: [0, 1, 1, 2, 2], i: [0, 0, 0, 0, 1], j: [0, 0, 1, 0, 1], cost: [-5, -4, -3, -2, -2] };
  const divisions = { frame: [1], i: [0], cost: [1] };
  const answer = await solve({ pairs, divisions, birth: 10, death: 8 }, { ...options, gap: 0 });
  expect([answer.status, answer.upperBound]).toEqual(["optimal", -15]);
  expect(Array.from(answer.tracks ?? [])).toEqual([0, 0, 1, 2, 1, 2]);
  expect([...answer.parents]).toEqual([
    [1, 0],
    [2, 0],
  ]);
  // Without its link to the mother the second daughter is born: 10 instead of −2.
  expect(answer.margins?.birth?.[3]).toBeGreaterThan(11);
  expect(answer.margins?.birth?.[3]).toBeLessThanOrEqual(12);
  const folder = mkdtempSync(join(tmpdir(), "rmap-divisions-"));
  const rows = pairs.frame.map((p, n) => [p, pairs.i[n], pairs.j[n], pairs.cost[n]].join());
  writeFileSync(join(folder, "pairs.csv"), `frame,i,j,cost\n${rows.join("\n")}\n`);
  writeFileSync(join(folder, "divisions.csv"), "frame,i,cost\n1,0,1\n");
  writeFileSync(join(folder, "instance.json"), '{ "birth": 10, "death": 8 }');
  expect((await rmap(["solve", ".", "-o", "out", "--gap", "0", "--device", "cpu"], { cwd: folder })).code).toBe(0);
  for (const device of [
    ["--device", "software"],
    ["--device", "cpu", "--shards", "2"],
  ]) {
    const { stdout } = await rmap(["solve", ".", "--json", ...device], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ upperBound: -15, lowerBound: -15, tracks: { divisions: 1 } });
  }
  expect(readFileSync(join(folder, "out/proof.json"), "utf8")).toBe(answer.proof);
  const tracks = readFileSync(join(folder, "out/tracks.csv"), "utf8").trimEnd().split("\n");
  expect(tracks[0]).toMatch(/^frame,detection,track,.*parent/);
  const parent = tracks[0].split(",").indexOf("parent");
  expect(tracks.slice(1).map((line) => [line.split(",")[2], line.split(",")[parent]].join(" "))).toEqual([
    "0 ",
    "0 ",
    "1 0",
    "2 0",
    "1 0",
    "2 0",
  ]);
  expect((await rmap(["check", "out/proof.json", "."], { cwd: folder })).code).toBe(0);
  await expect(
    solve(
      { pairs, divisions: { ...divisions, frame: [pairs.frame[pairs.frame.length - 1] + 1] }, birth: 1, death: 1 },
      options,
    ),
  ).rejects.toThrow(
    new InputError(
      "solve, divisions[0]: a detection of the last frame cannot divide; leave the row out, or add a frame",
    ),
  );
});

test("evaluate takes the track of each detection, or points with tracks", () => {
  const { frame, x, y, target } = arrays;
  expect(evaluate(arrays, target)).toMatchObject({ idf1: 100, links: { truth: 36, missed: 0, wrong: 0 } });
  const swapped = target.map((name, n) => (frame[n] > 20 && name < 2 ? 1 - name : name));
  expect(evaluate(arrays, swapped)).toMatchObject({ idSwitches: 2 });
  expect(evaluate(arrays, { frame, x, y, track: swapped }, { reach: 0.1 })).toMatchObject({ idSwitches: 2 });
  expect(() => evaluate(arrays, { frame, x, y, track: target })).toThrow(
    new InputError("evaluate, reach: is missing; give a length above 0"),
  );
});

test("evaluate scores lineages where mothers are given", () => {
  // A cell that divides after two frames; the answer has the daughters the other way round, and the division a frame late.
  const frame = [0, 1, 2, 2, 3, 3];
  const places = { x: [0, 0, 1, -1, 1, -1], y: [0, 0, 0, 0, 0, 0] };
  const truth = { frame, ...places, target: [0, 0, 1, 2, 1, 2] };
  const [mothers, none] = [new Map([1, 2].map((daughter) => [daughter, 0] as const)), new Map<number, number>()];
  expect(evaluate(truth, [5, 5, 7, 6, 7, 6], { mothers: { truth: mothers, answer: none } }).lineages).toMatchObject({
    ...{ divisionRecall: 0, divisions: { truth: 1, answer: 0, found: 0 } },
    operations: { edgesAdded: 2, edgesDeleted: 0, falseNegatives: 0 },
  });
  const answer = new Map([6, 7].map((daughter) => [daughter, 5] as const));
  const found = evaluate(truth, [5, 5, 7, 6, 7, 6], { mothers: { truth: mothers, answer } });
  expect(found.lineages).toMatchObject({ divisionF1: 100, tra: 100, det: 100, lnk: 100 });
  const late = evaluate(truth, [5, 5, 5, 6, 7, 8], {
    mothers: { truth: mothers, answer: new Map([7, 8].map((daughter) => [daughter, 6] as const)) },
    frameBuffer: 1,
  });
  expect(late.lineages?.tra).toBeLessThan(100);
  expect(() => evaluate(truth, [5, 5, 7, 6, 7, 6], { frameBuffer: 0.5 })).toThrow(
    new InputError("evaluate, frameBuffer: is 0.5; give a whole number of frames"),
  );
});

describe("images", () => {
  const size = 48;
  const image = (shift: number) => ({
    ...{ width: size, height: size },
    samples: Float32Array.from({ length: size * size }, (_, k) => {
      const [x, y] = [(k % size) - shift, Math.floor(k / size)];
      return 120 + 100 * Math.sin(x / 4) * Math.cos(y / 5);
    }),
  });

  test("detect finds points by each of its methods", async () => {
    for (const method of ["sift", "harris", "klt", "openvidia"] as const) {
      const { x, y, response } = await detect(image(0), { method, device: "cpu", top: 5 });
      expect(x.length, method).toBeGreaterThan(0);
      expect([y.length, response.length]).toEqual([x.length, x.length]);
    }
  });

  test("detect finds a spot in noise", async () => {
    const at = { x: 20.3, y: 30.8, sigma: 2, contrast: 60 };
    const { pixels, ...sides } = withSpots(noiseImage(size, 3, 1), [at]);
    const image = { ...sides, samples: Uint16Array.from(pixels, Math.round) };
    const found = await detect(image, { method: "blobs", device: "cpu", diameter: [4, 8] });
    expect(Math.hypot(found.x[0] - at.x, found.y[0] - at.y)).toBeLessThan(0.2);
    expect(found.response[0]).toBeGreaterThan(30);
    // 2√2 σ, and the height.
    expect(found.diameter?.[0]).toBeCloseTo(Math.sqrt(8) * at.sigma, 0);
    expect(Math.abs((found.contrast?.[0] ?? 0) - at.contrast)).toBeLessThan(5);
    for (const none of [{ dark: true }, { threshold: 1000 }, { contrast: 100 }])
      expect((await detect(image, { method: "blobs", device: "cpu", falseAlarms: 1e-3, ...none })).x).toHaveLength(0);
  });

  test("flow finds the motion", async () => {
    const { u, v } = await flow(image(0), image(1), { device: "cpu", preset: "paper" });
    expect(u[24 * size + 24]).toBeCloseTo(1, 0);
    expect(v[24 * size + 24]).toBeCloseTo(0, 0);
  });
});
