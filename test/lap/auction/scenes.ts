/** Scenes that auctions in fixed point are tested on. */
import type { Scene } from "../../../src/lap/auction/fixed-point.js";
import { auctionOf } from "../../../src/track/auction.js";
import { Gate } from "../../../src/track/gate.js";
import { uniform } from "../support.js";

/** Persons and objects at points. */
export function sceneOf(
  persons: readonly (readonly number[])[],
  objects: readonly (readonly number[])[],
  reach = 1,
): Scene {
  const column = (points: readonly (readonly number[])[], k: number) => Float64Array.from(points, (point) => point[k]);
  return auctionOf(
    new Gate().frame(
      persons.length,
      column(persons, 0),
      column(persons, 1),
      column(objects, 0),
      column(objects, 1),
      reach,
    ),
  );
}

/** Points in a square. */
export function randomScene(seed: number, persons: number, objects: number, side: number) {
  const random = uniform(seed);
  const draw = (count: number) => Array.from({ length: count }, () => [side * random(), side * random()]);
  return sceneOf(draw(persons), draw(objects));
}

/** Tracks and measurements of a belt: nearly all are where they are predicted, some are new, some are gone. */
export function beltScene(seed: number, count: number) {
  const random = uniform(seed);
  const side = Math.sqrt(count) * 1.3;
  const at = Array.from({ length: Math.round(1.4 * count) }, () => [side * random(), side * random()]);
  const moved = at.slice(Math.round(0.35 * count)).map(([x, y]) => [x + 0.05 * random(), y + 0.05 * random()]);
  const born = Array.from({ length: count - moved.length }, () => [side * random(), side * random()]);
  return sceneOf(at, [...moved, ...born]);
}

const equal = Array.from({ length: 12 }, () => [2, 2]);
export const scenes: [string, ReturnType<typeof sceneOf>][] = [
  ["nobody", sceneOf([], [[1, 1]])],
  [
    "nothing",
    sceneOf(
      [
        [1, 1],
        [2, 2],
      ],
      [],
    ),
  ],
  ["one and one", sceneOf([[0, 0]], [[0.3, 0.4]])],
  [
    "one person",
    sceneOf(
      [[0, 0]],
      [
        [0.3, 0.4],
        [0.1, 0],
        [0, 0.1],
        [5, 5],
      ],
    ),
  ],
  [
    "one object",
    sceneOf(
      [
        [0, 0],
        [0.2, 0],
        [0.2, 0],
        [9, 9],
      ],
      [[0.1, 0.1]],
    ),
  ],
  [
    "the two by two of lab/notes/sorting.md",
    sceneOf(
      [
        [0, 0],
        [0.6, 0],
      ],
      [
        [0, 0],
        [-0.6, 0],
      ],
    ),
  ],
  ["equal points, N = M", sceneOf(equal, equal)],
  ["equal points, one too many", sceneOf(equal, equal.slice(1))],
  [
    "out of reach",
    sceneOf(
      [
        [0, 0],
        [3, 3],
      ],
      [
        [10, 10],
        [20, 20],
        [30, 30],
      ],
    ),
  ],
  ["random", randomScene(1, 40, 50, 5)],
  ["random, exchanged", randomScene(2, 50, 40, 5)],
  ["crowded", randomScene(3, 30, 30, 1.2)],
];
