/** Recordings in space, from detections to tracks. */
import { describe, expect, test } from "vitest";
import { frameOfDetections } from "../../src/core/detections.js";
import { evaluate, track } from "../../src/index.js";
import { simulate } from "../../src/simulation/trajectories.js";
import { refuses } from "../cli/rmap.js";
import { folderWith, temporaryFolder } from "../formats/support.js";

const parent = temporaryFolder();
const options = { threads: 1, device: "cpu" } as const;

/** A recording in space with misses, false detections and targets that come and go, as arrays. */
function recording(more: object = {}, dimensions: 2 | 3 = 3) {
  const faults = { missed: 0.05, clutter: 2, births: 0.3, deaths: 0.01 };
  const noise = { position: 0.05, velocity: 0 };
  const drawn = simulate(
    { targets: 12, frames: 15, dimensions, spread: 14, velocities: "none", noise, faults, ...more },
    3,
  );
  const { x, y, z = x.map(() => 0), target } = drawn;
  return { frame: frameOfDetections(drawn.frameStart), x, y, z, target: target ?? new Int32Array(0) };
}
type Recording = ReturnType<typeof recording>;

const turned = ({ x, y, z, ...rest }: Recording, rows: readonly (readonly number[])[]): Recording => {
  const [a, b, c] = rows.map((row) => x.map((_, d) => row[0] * x[d] + row[1] * y[d] + row[2] * z[d]));
  return { ...rest, x: a, y: b, z: c };
};
const TURN = [
  [2 / 3, -1 / 3, 2 / 3],
  [2 / 3, 2 / 3, -1 / 3],
  [-1 / 3, 2 / 3, 2 / 3],
];

const tracksOf = async (detections: Recording) => {
  const found = await track(detections, options);
  expect(found.status).not.toBe("unsolved");
  return found;
};

describe("targets in space", () => {
  test("are tracked to the truth, with faults, and by any axes", async () => {
    const given = recording();
    const found = await tracksOf(given);
    expect(evaluate(given, found.tracks ?? []).idf1).toBeGreaterThan(98);
    expect(found.notes.join()).not.toMatch(/z/i);
    // A permutation of the axes changes no number but by rounding.
    const { x, y, z } = given;
    const permuted = await tracksOf({ ...given, x: z, y: x, z: y });
    expect(permuted.tracks).toEqual(found.tracks);
    expect(permuted.lowerBound).toBeCloseTo(found.lowerBound, 3);
    // Places of births are boxes along the axes, and so costs are others where these are turned; tracks are not.
    expect((await tracksOf(turned(given, TURN))).tracks).toEqual(found.tracks);
  });

  test("with measured velocities are tracked to the truth", async () => {
    const drawn = simulate(
      { targets: 30, frames: 12, dimensions: 3, spread: 6, noise: { position: 0.2, velocity: 0.1 } },
      8,
    );
    const { x, y, z = x, vx, vy, vz, target } = drawn;
    const velocities = { vx: vx ?? x, vy: vy ?? x, vz: vz ?? x };
    const detections = { frame: frameOfDetections(drawn.frameStart), x, y, z, ...velocities, target: target ?? [] };
    const found = await track(detections, options);
    expect(evaluate(detections, found.tracks ?? []).idf1).toBeGreaterThan(99.5);
  });

  test("that differ in z alone are told, where x and y are the same", async () => {
    // Each target stays at a height of its own.
    const rows = Array.from({ length: 60 }, (_, n) => n);
    const column = (of: (n: number) => number) => rows.map(of);
    const heights = {
      frame: column((n) => Math.floor(n / 6)),
      x: column(() => 0),
      y: column(() => 0),
      z: column((n) => 5 * (n % 6) + 0.1 * ((7 * n) % 5)),
    };
    expect((await track(heights, options)).tracks).toEqual(Int32Array.from(rows, (n) => n % 6));
  });
});

test("a recording in a plane of space has the tracks that it has in the plane", async () => {
  // A plane has no volume, by which false detections would be told.
  const flat = recording({ faults: { births: 0.3, deaths: 0.02 } }, 2);
  const { z: _, ...plane } = flat;
  const found = await track(plane, options);
  // One depth for all is the plane itself, to the last digit.
  const lifted = await track({ ...plane, z: flat.z.map(() => 7) }, options);
  expect([lifted.lowerBound, lifted.proof]).toEqual([found.lowerBound, found.proof]);
  for (const by of [TURN, [TURN[0].map(() => 0), [1, 0, 0], [0, 1, 0]]])
    expect((await tracksOf(turned(flat, by))).tracks).toEqual(found.tracks);
});

test("frame-by-frame tracking and the baselines know no depth, and say so in one line", async () => {
  const rows = [0, 1, 2].flatMap((p) => [`${p},${p},0,${p}`, `${p},${p},5,1`]);
  const cwd = folderWith(parent, { "z.csv": `frame,x,y,z\n${rows.join("\n")}\n` });
  for (const [args, says] of [
    [
      ["track", "z.csv", "-o", "out"],
      "z.csv:3, column z: 1 comes after 0: only positions in a plane are taken here; --z-scale 0 leaves z out",
    ],
    [
      ["bench", "baselines", "z.csv"],
      "z.csv, bench baselines: takes positions in the plane, and these have z from 0 to 2; leave z out (--z-scale 0), so that x and y are solved alone",
    ],
  ] as const)
    expect(await refuses([...args], { cwd })).toBe(`rmap: ${says}\n`);
});
