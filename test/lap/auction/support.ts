import { type AuctionProblem, lapOf } from "../../../src/lap/auction/problem.js";
import { createLapSolution } from "../../../src/lap/dense.js";
import { createJvWorkspace, solveJv } from "../../../src/lap/jv/jv.js";
import { uniform } from "../support.js";

/** From rows of utilities; 0: no candidate. */
export function fromRows(rows: readonly (readonly number[])[], objects = rows[0]?.length ?? 0): AuctionProblem {
  const start = new Uint32Array(rows.length + 1);
  const object: number[] = [];
  const utility: number[] = [];
  rows.forEach((row, i) => {
    row.forEach((worth, j) => {
      if (worth <= 0) return;
      object.push(j);
      utility.push(worth);
    });
    start[i + 1] = object.length;
  });
  return {
    persons: rows.length,
    objects,
    start,
    object: Uint32Array.from(object),
    utility: Float64Array.from(utility),
  };
}

/** Utilities uniform in (0, 1], each pair a candidate with probability `density`. */
export function randomProblem(seed: number, persons: number, objects: number, density: number): AuctionProblem {
  const random = uniform(seed);
  return fromRows(
    Array.from({ length: persons }, () =>
      Array.from({ length: objects }, () => (random() < density ? 1 - random() : 0)),
    ),
    objects,
  );
}

/** Points in a square of `side` gates with utilities 1 − distance: what a tracker asks. */
export function gatedProblem(seed: number, persons: number, objects: number, side: number): AuctionProblem {
  const random = uniform(seed);
  const at = (count: number) => Array.from({ length: count }, () => [side * random(), side * random()]);
  const people = at(persons);
  const things = at(objects);
  return fromRows(
    people.map(([x, y]) => things.map(([u, v]) => Math.max(0, 1 - Math.hypot(x - u, y - v)))),
    objects,
  );
}

/** The greatest utility, by Jonker and Volgenant's algorithm. */
export function exactUtility(auction: AuctionProblem): number {
  const { persons, objects } = auction;
  if (persons === 0 || objects === 0) return 0;
  const outcome = solveJv(lapOf(auction), createLapSolution(persons, objects), createJvWorkspace(persons, objects));
  if (outcome.status !== "optimal") throw new Error("everyone may stay alone");
  return -outcome.cost;
}
