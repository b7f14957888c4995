/** Estimates from the first frames how densely measurements lie, and the displacement that they have in common. */

import { GrowingArray, picked } from "../core/growing-array.js";
import { medianOf } from "../core/select.js";

/** One frame's measurements. */
export interface Measurements {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

export interface Voted {
  /** The common displacement from a frame to the next. */
  readonly displacement: readonly [number, number];
  /** Median distance of a measurement to the nearest one of its frame, null where no frame has two. */
  readonly nearest: number | null;
  /** The pairs of measurements that voted for the displacement, and how many could have: the smaller number of each two frames. */
  readonly votes: number;
  readonly possible: number;
}

/** Largest displacement voted on, of the view's width and height. */
const SHARE_OF_VIEW = 1 / 4;
/** Cells of the vote, of the nearest-neighbour distance. */
const CELL = 1 / 6;
/** How near displacements lie that agree, of the nearest-neighbour distance. */
export const AGREEING = 1 / 3;
const MEDIAN_STEPS = 5;

/**
 * The displacement by votes: every measurement of a frame with every one of the next, counted by cells of displacement over what as
 * many unrelated measurements would give where views overlap by that much; the best cell, then medians around it. Identities are not used, and
 * no link is guessed. Frames are consecutive.
 */
export function voteDisplacement(frames: readonly Measurements[]): Voted {
  const inOrder = frames.map(byX);
  const nearest = median(inOrder.flatMap(nearestDistances));
  const [width, height] = extent(frames);
  if (nearest === null || nearest === 0)
    return { displacement: [0, 0], nearest: nearest || null, votes: 0, possible: 0 };
  const cell = CELL * nearest;
  const [widest, highest] = [SHARE_OF_VIEW * width, SHARE_OF_VIEW * height];
  let best: [number, number] = [0, 0];
  let most = 0;
  for (const { column, row, count } of cellCounts(inOrder, widest, highest, cell)) {
    const [u, v] = [(column + 0.5) * cell, (row + 0.5) * cell];
    const overlap = (1 - Math.abs(u) / width) * (1 - Math.abs(v) / height);
    if (count / overlap <= most) continue;
    most = count / overlap;
    best = [u, v];
  }
  let votes = 0;
  // No step moves the median by more than AGREEING: a displacement farther than all of them together takes no part.
  const reach = (MEDIAN_STEPS + 1) * AGREEING * nearest;
  const box = [
    Math.max(best[0] - reach, -widest),
    Math.min(best[0] + reach, widest),
    Math.max(best[1] - reach, -highest),
    Math.min(best[1] + reach, highest),
  ] as const;
  const around = { dx: new GrowingArray(Float64Array), dy: new GrowingArray(Float64Array) };
  forDisplacements(inOrder, box, (u, v) => {
    around.dx.push(u);
    around.dy.push(v);
  });
  const [u, v] = [around.dx.values, around.dy.values];
  const near = { dx: new Float64Array(u.length), dy: new Float64Array(u.length) };
  for (let step = 0; step < MEDIAN_STEPS; step++) {
    votes = 0;
    for (let n = 0; n < u.length; n++) {
      if (!(Math.hypot(u[n] - best[0], v[n] - best[1]) < AGREEING * nearest)) continue;
      near.dx[votes] = u[n];
      near.dy[votes++] = v[n];
    }
    best = [median(near.dx.subarray(0, votes)) ?? best[0], median(near.dy.subarray(0, votes)) ?? best[1]];
  }
  const possible = frames.reduce((sum, { x }, k) => sum + (k > 0 ? Math.min(x.length, frames[k - 1].x.length) : 0), 0);
  return { displacement: best, nearest, votes, possible };
}

/** The measurements by x. */
function byX({ x, y }: Measurements): Measurements {
  const order = Uint32Array.from(x, (_, i) => i).sort((i, j) => x[i] - x[j] || i - j);
  return { x: picked(x, order), y: picked(y, order) };
}

/** Displacements from every measurement of a frame to every one of the next that lie between uMin and uMax, vMin and vMax. There may be millions, so none is kept. */
function forDisplacements(
  inOrder: readonly Measurements[],
  [uMin, uMax, vMin, vMax]: readonly [number, number, number, number],
  visit: (u: number, v: number) => void,
): void {
  for (let k = 1; k < inOrder.length; k++) {
    const before = inOrder[k - 1];
    const { x, y } = inOrder[k];
    let first = 0;
    for (let i = 0; i < before.x.length; i++) {
      const fromX = before.x[i];
      const fromY = before.y[i];
      while (first < x.length && x[first] - fromX < uMin) first++;
      for (let j = first; j < x.length; j++) {
        const u = x[j] - fromX;
        if (u > uMax) break;
        const v = y[j] - fromY;
        if (v >= vMin && v <= vMax) visit(u, v);
      }
    }
  }
}

/** Most cells of a count that are held in an array; Map takes ten times as long for a million displacements, but no room for empty cells. */
const MOST_CELLS = 2 ** 22;

/** How many displacements, no larger than `width` and `height`, lie in each cell of a square grid that has any. */
function* cellCounts(inOrder: readonly Measurements[], width: number, height: number, cell: number) {
  const left = Math.ceil(width / cell) + 1;
  const below = Math.ceil(height / cell) + 1;
  const rows = 2 * below + 1;
  const cells = rows * (2 * left + 1);
  const box = [-width, width, -height, height] as const;
  // Numbered row by row.
  const keyOf = (u: number, v: number) => (Math.floor(u / cell) + left) * rows + Math.floor(v / cell) + below;
  const found = (key: number, count: number) => {
    const column = Math.floor(key / rows);
    return { column: column - left, row: key - column * rows - below, count };
  };
  if (cells <= MOST_CELLS) {
    const counts = new Uint32Array(cells);
    forDisplacements(inOrder, box, (u, v) => {
      counts[keyOf(u, v)]++;
    });
    for (let key = 0; key < cells; key++) if (counts[key] > 0) yield found(key, counts[key]);
    return;
  }
  const counts = new Map<number, number>();
  forDisplacements(inOrder, box, (u, v) => {
    const key = keyOf(u, v);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  for (const [key, count] of counts) yield found(key, count);
}

/** Distance of each measurement of a frame, by x, to the nearest other one. */
function nearestDistances({ x, y }: Measurements): number[] {
  if (x.length < 2) return [];
  return Array.from(x, (_, i) => {
    let least = Infinity;
    for (const way of [-1, 1]) {
      for (let j = i + way; j >= 0 && j < x.length; j += way) {
        if (Math.abs(x[j] - x[i]) >= least) break;
        least = Math.min(least, Math.hypot(x[j] - x[i], y[j] - y[i]));
      }
    }
    return least;
  });
}

function extent(frames: readonly Measurements[]): [number, number] {
  const span = (values: readonly Float64Array[]) => {
    let [least, most] = [Infinity, -Infinity];
    for (const array of values) {
      for (const value of array) {
        if (value < least) least = value;
        if (value > most) most = value;
      }
    }
    return most >= least ? most - least : 0;
  };
  return [span(frames.map(({ x }) => x)), span(frames.map(({ y }) => y))];
}

function median(values: ArrayLike<number>): number | null {
  return values.length === 0 ? null : medianOf(values);
}
