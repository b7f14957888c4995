/** Links made frame by frame, to compare with: nearest descriptors, KLT, and a homography. */
import { project } from "../homography/model.js";
import { findHomographyOnCpu, RANSAC_DEFAULTS } from "../homography/ransac.js";
import { KLT_STATUS, type KltTracks } from "../klt-options.js";
import { gatedPairs } from "./pairs.js";
import type { Places } from "./places.js";

/** For each place of a frame the place of the next that it is linked to, or −1. */
export type Links = Int32Array;

const RATIO = 0.8;
/** Pixels between where a place should be and where it is. */
const SNAP = 3;
const LARGEST_SCALE = Math.SQRT2;

/** Nearest descriptor within the gate, ratio 0.8, each the other's nearest. */
export function nearestLinks(a: Places, b: Places, gate: number): Links {
  const rows = gatedPairs(a, b, gate).map((row) => row.sort((p, q) => p.look.distance - q.look.distance || p.j - q.j));
  const back = new Map<number, { i: number; distance: number }>();
  for (const [i, row] of rows.entries()) {
    for (const { j, look } of row) {
      const best = back.get(j);
      if (best === undefined || look.distance < best.distance) back.set(j, { i, distance: look.distance });
    }
  }
  return Int32Array.from(rows, ([best, second], i) => {
    if (best === undefined || back.get(best.j)?.i !== i) return -1;
    return second === undefined || best.look.distance < RATIO * second.look.distance ? best.j : -1;
  });
}

/** The detection nearest to where KLT finds a place, within 3 px, one to one, nearest first. */
export function kltLinks(a: Places, b: Places, moved: KltTracks): Links {
  const inPlace = [...a.x.keys()].filter((i) => moved.status[i] === KLT_STATUS.tracked);
  return oneToOne(
    a.count,
    b,
    inPlace.map((i) => ({ i, x: moved.x[i], y: moved.y[i], sigma: null })),
  );
}

/** A homography by RANSAC over the nearest descriptors, then the detection nearest to where it takes a place, within 3 px and √2 of σ. */
export function homographyLinks(a: Places, b: Places, gate: number, seed: number): Links {
  const matches = [...nearestLinks(a, b, gate).entries()].filter(([, j]) => j >= 0);
  const column = (of: (i: number, j: number) => number) => matches.map(([i, j]) => of(i, j));
  const pairs = {
    x: column((i) => a.x[i]),
    y: column((i) => a.y[i]),
    u: column((_, j) => b.x[j]),
    v: column((_, j) => b.y[j]),
  };
  const found = findHomographyOnCpu(pairs, { ...RANSAC_DEFAULTS, threshold: 2, seed });
  if (found === null) return new Int32Array(a.count).fill(-1);
  const moved = Array.from(a.x, (x, i) => {
    const [px, py] = project(found.h, x, a.y[i]);
    const [[rx, ry], [dx, dy]] = [project(found.h, x + 0.05, a.y[i]), project(found.h, x, a.y[i] + 0.05)];
    const area = Math.abs((rx - px) * (dy - py) - (dx - px) * (ry - py)) / 0.05 ** 2;
    return { i, x: px, y: py, sigma: a.sigma[i] * Math.sqrt(area) };
  });
  return oneToOne(a.count, b, moved);
}

function oneToOne(
  count: number,
  b: Places,
  moved: readonly { readonly i: number; readonly x: number; readonly y: number; readonly sigma: number | null }[],
): Links {
  const near = moved.flatMap(({ i, x, y, sigma }) =>
    Array.from(b.x, (bx, j) => ({ i, j, error: Math.hypot(bx - x, b.y[j] - y) })).filter(({ j, error }) => {
      const ratio = sigma === null ? 1 : b.sigma[j] / sigma;
      return error < SNAP && ratio <= LARGEST_SCALE && ratio >= 1 / LARGEST_SCALE;
    }),
  );
  const links = new Int32Array(count).fill(-1);
  const taken = new Set<number>();
  for (const { i, j } of near.sort((p, q) => p.error - q.error || p.i - q.i || p.j - q.j)) {
    if (links[i] >= 0 || taken.has(j)) continue;
    links[i] = j;
    taken.add(j);
  }
  return links;
}
