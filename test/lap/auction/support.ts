import { type AuctionProblem, lapOf } from "../../../src/lap/auction/problem.js";
import { createLapSolution } from "../../../src/lap/dense.js";
import { createJvWorkspace, solveJv } from "../../../src/lap/jv/jv.js";
import { uniform } from "../support.js";

/** From rows of utilities; 0: no candidate. */
export function fromRows(rows: readonly (readonly number[])[], objects = rows[0]?.length ?? 0): AuctionProblem {
  const rowStart = new Uint32Array(rows.length + 1);
  const object: number[] = [];
  const utility: number[] = [];
  rows.forEach((row, i) => {
    row.forEach((worth, j) => {
      if (worth <= 0) return;
      object.push(j);
      utility.push(worth);
    });
    rowStart[i + 1] = object.length;
  });
  return {
    persons: rows.length,
    objects,
    rowStart,
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

/** The same problem with persons and objects exchanged. */
export function transposed({ persons, objects, rowStart, object, utility }: AuctionProblem): AuctionProblem {
  const entries = rowStart[persons] - rowStart[0];
  const turned = new Uint32Array(objects + 1);
  for (let k = rowStart[0]; k < rowStart[persons]; k++) turned[object[k] + 1]++;
  for (let j = 0; j < objects; j++) turned[j + 1] += turned[j];
  const next = turned.slice(0, objects);
  const person = new Uint32Array(entries);
  const worth = new Float64Array(entries);
  for (let i = 0; i < persons; i++) {
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      const at = next[object[k]]++;
      person[at] = i;
      worth[at] = utility[k];
    }
  }
  return { persons: objects, objects: persons, rowStart: turned, object: person, utility: worth };
}

/** Problems that every auction is tested on. */
export const cases: [string, AuctionProblem][] = [
  ["nobody", fromRows([], 3)],
  ["nothing", { ...fromRows([[], []]), objects: 0 }],
  ["one and one", fromRows([[0.3]])],
  ["one person", fromRows([[0.3, 0, 0.9, 0.9]])],
  ["one object", fromRows([[0.3], [0.8], [0.8]])],
  [
    "no candidate",
    fromRows([
      [0, 0],
      [0, 0],
    ]),
  ],
  [
    "the two by two of lab/notes/sorting.md",
    fromRows([
      [1, 1],
      [1, 0],
    ]),
  ],
  [
    "equal points",
    fromRows([
      [1, 1, 1],
      [1, 1, 1],
      [1, 1, 1],
    ]),
  ],
  [
    "a chain",
    fromRows([
      [0.9, 0.8, 0],
      [0.9, 0, 0],
      [0, 0.8, 0.1],
    ]),
  ],
  ...[1, 2, 3, 4].map((seed): [string, AuctionProblem] => [
    `random ${seed}`,
    randomProblem(seed, 6 + seed, 11 - seed, 0.5),
  ]),
  ...[1, 2, 3].map((seed): [string, AuctionProblem] => [`gated ${seed}`, gatedProblem(seed, 60, 50 + 10 * seed, 6)]),
];
