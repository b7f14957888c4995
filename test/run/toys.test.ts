import { describe, expect, test } from "vitest";
import { randomStreams } from "../../src/core/random.js";
import type { CostName } from "../../src/costs/models/cost-models.js";
import { formatDetections, parseDetections } from "../../src/formats/detections.js";
import { makeProblem } from "../../src/run/problem.js";
import { scene } from "../costs/scenes.js";
import { now, run } from "./support.js";

/** x, y, vx, vy of a target in the first frame. */
type Start = readonly [number, number, number, number];

const five: readonly Start[] = [
  [0, 0, 1, 0.1],
  [0, 10, 1.2, -0.2],
  [5, 20, 0.8, 0.3],
  [2, 30, 1.5, 0],
  [0, 40, 0.9, -0.1],
];
const abreast: readonly Start[] = [0, 10, 20, 30, 40].map((y) => [0, y, 1, 0]);
const stands: readonly Start[] = [[3, 4, 0, 0]];
const most: readonly Start[] = [
  [3, 4, 0, 0],
  [20, 4, 0, 0],
  [3, 40, 0, 0],
  [100, 100, 1, 0],
];
const crossing: readonly Start[] = [
  [0, 0, 1, 1.03],
  [0, 9.1, 1.1, -1],
];

/** Targets on straight lines as a user would write them down, by way of the CSV. */
function toy(targets: readonly Start[], frames: number, measured: boolean, noise: number) {
  const random = randomStreams(1).next().value;
  const rows = Array.from({ length: frames }, (_, p) =>
    targets.map(([x, y, vx, vy]) => [
      x + p * vx + noise * random.normal(),
      y + p * vy + noise * random.normal(),
      vx,
      vy,
    ]),
  );
  const target = Int32Array.from({ length: frames * targets.length }, (_, d) => d % targets.length);
  const detections = { ...scene(rows), target, ...(measured ? {} : { vx: null, vy: null }) };
  return parseDetections("toy.csv", Buffer.from([...formatDetections(detections)].join("")));
}

const scenes: readonly (readonly [name: string, targets: readonly Start[], frames: number, noise: number])[] = [
  ["one target in two frames", [[0, 0, 1, 0.5]], 2, 0],
  ["five targets in two frames", five, 2, 0],
  ["five targets on straight lines", five, 8, 0],
  ["five targets on straight lines, a little noise", five, 8, 0.02],
  ["five targets abreast", abreast, 8, 0],
  ["a target that stands", stands, 6, 0],
  ["a target that stands, a little noise", stands, 6, 0.01],
  ["a target that stands among some that move", [...five.slice(0, 4), [30, 60, 0, 0]], 8, 0],
  ["a target that moves among some that stand", most, 6, 0],
  ["two lines that cross", crossing, 10, 0],
];

describe("toy recordings are linked fully, without a word about births", () => {
  const ways = (["motion", "likelihood", "euclidean", "spline"] as const).flatMap((cost) =>
    [true, false].map((measured): [CostName, boolean] => [cost, measured]),
  );
  describe.each(ways)("cost %s, velocities measured: %s", (cost, measured) => {
    test.each(scenes)("%s", async (_, targets, frames, noise) => {
      const recording = toy(targets, frames, measured, noise);
      const problem = await makeProblem({ kind: "detections", recording }, { cost }, { threads: 1, now });
      const { result, track } = await run(problem);
      expect(result.scores).toMatchObject({ mmep: 0, itcp: 0 });
      expect(new Set(track).size).toBe(targets.length);
      expect(["optimal", "gap"]).toContain(result.status);
      for (const note of result.notes) expect(note).toMatch(/^[A-Z\d].*\.$/s);
    });
  });
});

test("a wild step of a toy is kept unless births are stated", async () => {
  const rows = [0, 1, 2, 3, 4, 5, 6, 7].map((p) => [0, 100, 200].map((y) => [p + (p > 3 && y === 0 ? 2 : 0), y, 1, 0]));
  const recording = parseDetections("jump.csv", Buffer.from([...formatDetections(scene(rows))].join("")));
  const births = { birth: 4.65, death: 4.65 };
  for (const chosen of [births, "auto"] as const) {
    const problem = await makeProblem(
      { kind: "detections", recording },
      { cost: "likelihood", births: chosen },
      { threads: 1, now },
    );
    const { track } = await run(problem);
    // Of 21 links one is wrong: too few to call 1 % of them implausible, so only stated costs end a track there.
    expect(new Set(track).size).toBe(chosen === "auto" ? 3 : 4);
  }
});

test("where no gap is asked for, a cost in nats may stop at a gap in nats; where one is, not", async () => {
  const recording = toy(crossing, 10, false, 0.02);
  const solved = async (gapPercent?: number) => {
    const problem = await makeProblem({ kind: "detections", recording }, {}, { threads: 1, now });
    return (await run(problem, gapPercent === undefined ? {} : { gapPercent })).result;
  };
  const usual = await solved();
  expect(usual.stop?.nats).toBeCloseTo(20 * 5e-4, 12);
  expect((usual.upperBound ?? 0) - (usual.lowerBound ?? 0)).toBeLessThanOrEqual(0.01);
  const asked = await solved(0);
  expect(asked.stop).not.toHaveProperty("nats");
  expect(asked.status).toBe("optimal");
});

test("links that --max-gap allows bring a target back as itself", async () => {
  const rows = Array.from({ length: 14 }, (_, p) =>
    five.flatMap(([x, y, vx, vy], t) => (t === p % 5 && p > 2 && p < 12 ? [] : [[x + p * vx, y + p * vy, vx, vy]])),
  );
  const text = [...formatDetections({ ...scene(rows), vx: null, vy: null })].join("");
  const recording = parseDetections("gaps.csv", Buffer.from(text));
  const tracks = async (maxGap: number) => {
    const problem = await makeProblem({ kind: "detections", recording }, { maxGap }, { threads: 1, now });
    const { track, result, margins } = await run(problem);
    expect(result.detections).toBe(recording.detections.x.length);
    expect(track).toHaveLength(recording.detections.x.length);
    expect(margins?.link).toHaveLength(recording.detections.x.length);
    return new Set(track).size;
  };
  expect(await tracks(1)).toBe(5);
  expect(await tracks(0)).toBe(14);
});
