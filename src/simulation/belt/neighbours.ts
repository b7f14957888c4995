/** Which spheres are near enough to touch soon. */
import { invariant } from "../../core/errors.js";
import type { Bodies } from "./bodies.js";

/** Share of the skin that spheres may move within the belt's frame before neighbours are searched for again. */
const MOVED = 0.4;

/** Whether a sphere has moved so far that neighbours must be searched for again. */
export function haveMoved(all: Bodies): boolean {
  const { drift } = all;
  const most = (MOVED * all.skin) ** 2;
  const { centre, reference } = all;
  for (let s = 0; s < 3 * all.spheres; s += 3) {
    const dx = centre[s] - drift - reference[s];
    const dy = centre[s + 1] - reference[s + 1];
    const dz = centre[s + 2] - reference[s + 2];
    if (dx * dx + dy * dy + dz * dz > most) return true;
  }
  return false;
}

/**
 * Lists the pairs of spheres that are near enough to touch soon; the slips of their springs go with them.
 * @param was the number that each sphere had in the present list
 */
export function findNeighbours(all: Bodies, width: number, was: Uint32Array): void {
  const [oldStart, oldOther, oldSlip, oldTouched] = [
    all.pairStart.slice(),
    all.pairOther.slice(),
    all.pairSlip.slice(),
    all.pairTouched.slice(),
  ];
  const { spheres, centre, radius } = all;
  const { skin } = all;
  const cell = 2 * all.largest + skin;
  let left = Infinity;
  let right = -Infinity;
  for (let s = 0; s < spheres; s++) {
    left = Math.min(left, centre[3 * s]);
    right = Math.max(right, centre[3 * s]);
  }
  const rows = Math.floor(width / cell) + 1;
  const columns = spheres === 0 ? 0 : Math.floor((right - left) / cell) + 1;
  invariant(columns * rows < 1e7, () => `belt: bodies from x = ${left} to ${right}`);
  const head = new Int32Array(columns * rows).fill(-1);
  const next = new Int32Array(spheres);
  let pair = 0;
  for (let s = 0; s < spheres; s++) {
    all.refer(s);
    all.pairStart[s] = pair;
    const x = centre[3 * s];
    const y = centre[3 * s + 1];
    const z = centre[3 * s + 2];
    const column = Math.floor((x - left) / cell);
    const row = Math.min(Math.max(Math.floor(y / cell), 0), rows - 1);
    for (let u = Math.max(0, column - 1); u <= Math.min(columns - 1, column + 1); u++) {
      for (let v = Math.max(0, row - 1); v <= Math.min(rows - 1, row + 1); v++) {
        for (let t = head[u * rows + v]; t >= 0; t = next[t]) {
          if (all.bodyOf[t] === all.bodyOf[s]) continue;
          const reach = radius[s] + radius[t] + skin;
          const dx = centre[3 * t] - x;
          const dy = centre[3 * t + 1] - y;
          const dz = centre[3 * t + 2] - z;
          if (dx * dx + dy * dy + dz * dz >= reach * reach) continue;
          all.growPairs(pair + 1);
          all.pairOther[pair] = t;
          let old = oldStart[was[s]];
          while (old < oldStart[was[s] + 1] && oldOther[old] !== was[t]) old++;
          const known = old < oldStart[was[s] + 1];
          for (let k = 0; k < 3; k++) all.pairSlip[3 * pair + k] = known ? oldSlip[3 * old + k] : 0;
          all.pairTouched[pair++] = known ? oldTouched[old] : 0;
        }
      }
    }
    next[s] = head[column * rows + row];
    head[column * rows + row] = s;
  }
  all.pairStart[spheres] = pair;
}
