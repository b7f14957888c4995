/** Estimates from the first frames how densely measurements lie, and the displacement that they have in common. */

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
  const nearest = median(frames.flatMap(nearestDistances));
  const [width, height] = extent(frames);
  if (nearest === null || nearest === 0)
    return { displacement: [0, 0], nearest: nearest || null, votes: 0, possible: 0 };
  const { dx, dy } = displacements(frames, SHARE_OF_VIEW * width, SHARE_OF_VIEW * height);
  const cell = CELL * nearest;
  // Cells are numbered row by row; strings as keys took a second for a thousand measurements a frame.
  const half = Math.ceil((SHARE_OF_VIEW * height) / cell) + 1;
  const row = 2 * half + 1;
  const counts = new Map<number, number>();
  for (let n = 0; n < dx.length; n++) {
    const key = Math.floor(dx[n] / cell) * row + Math.floor(dy[n] / cell) + half;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  let best: [number, number] = [0, 0];
  let most = 0;
  for (const [key, count] of counts) {
    const column = Math.floor(key / row);
    const [u, v] = [(column + 0.5) * cell, (key - column * row - half + 0.5) * cell];
    const overlap = (1 - Math.abs(u) / width) * (1 - Math.abs(v) / height);
    if (count / overlap <= most) continue;
    most = count / overlap;
    best = [u, v];
  }
  let votes = 0;
  const near = { dx: new Float64Array(dx.length), dy: new Float64Array(dx.length) };
  for (let step = 0; step < MEDIAN_STEPS; step++) {
    votes = 0;
    for (let n = 0; n < dx.length; n++) {
      const u = dx[n] - best[0];
      const v = dy[n] - best[1];
      // Most are far, which one comparison tells.
      if (!(Math.abs(u) < AGREEING * nearest && Math.hypot(u, v) < AGREEING * nearest)) continue;
      near.dx[votes] = dx[n];
      near.dy[votes++] = dy[n];
    }
    best = [median(near.dx.subarray(0, votes)) ?? best[0], median(near.dy.subarray(0, votes)) ?? best[1]];
  }
  const possible = frames.reduce((sum, { x }, k) => sum + (k > 0 ? Math.min(x.length, frames[k - 1].x.length) : 0), 0);
  return { displacement: best, nearest, votes, possible };
}

/** Displacements from every measurement of a frame to every one of the next, at most so wide and high. */
function displacements(frames: readonly Measurements[], width: number, height: number) {
  // Counted first: lists that grow to a million numbers are garbage that the first frames would have to wait for.
  let dx = new Float64Array(0);
  let dy = new Float64Array(0);
  for (const isCounted of [false, true]) {
    let count = 0;
    for (let k = 1; k < frames.length; k++) {
      const [before, after] = [frames[k - 1], frames[k]];
      for (let i = 0; i < before.x.length; i++) {
        for (let j = 0; j < after.x.length; j++) {
          const u = after.x[j] - before.x[i];
          const v = after.y[j] - before.y[i];
          if (Math.abs(u) > width || Math.abs(v) > height) continue;
          if (isCounted) {
            dx[count] = u;
            dy[count] = v;
          }
          count++;
        }
      }
    }
    if (!isCounted) [dx, dy] = [new Float64Array(count), new Float64Array(count)];
  }
  return { dx, dy };
}

/** Distance of each measurement of a frame to the nearest other one. */
function nearestDistances({ x, y }: Measurements): number[] {
  const order = Array.from(x, (_, i) => i).sort((i, j) => x[i] - x[j]);
  if (order.length < 2) return [];
  return order.map((i, at) => {
    let least = Infinity;
    for (const way of [-1, 1]) {
      for (let n = at + way; n >= 0 && n < order.length; n += way) {
        const j = order[n];
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
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
