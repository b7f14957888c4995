import { refuse } from "../files/refusal.js";
import type { BirthDeathCosts, Exclusions } from "../map/instance/priced.js";
import type { CostEntries, EndEntries, Entries, SetEntries } from "./cost-entries.js";

/** Births and deaths by detection: those of the table, and `each` for the others. */
export function birthsAndDeaths(
  place: { readonly folder: string; readonly settings: string },
  ends: EndEntries | null,
  each: { readonly birth: number; readonly death: number } | null,
  frameStart: Uint32Array,
): BirthDeathCosts | null {
  if (ends === null && each === null) return null;
  const detections = frameStart[frameStart.length - 1];
  const birth = new Float64Array(detections).fill(each?.birth ?? Number.NaN);
  const death = new Float64Array(detections).fill(each?.death ?? Number.NaN);
  const stated = new Int32Array(detections).fill(-1);
  for (let n = 0; ends !== null && n < ends.length; n++) {
    const d = detectionOf(ends, n, frameStart, stated);
    [birth[d], death[d]] = [ends.birth[n], ends.death[n]];
  }
  const without = birth.findIndex(Number.isNaN);
  if (without >= 0) {
    const frame = frameStart.findIndex((begin) => begin > without) - 1;
    const problem = `has no birth and death for detection ${without - frameStart[frame]} of frame ${frame}`;
    refuse(place.folder, problem, `add it to the ends, or give birth and death for all others (${place.settings})`);
  }
  return { birth, death };
}

/** The number of an entry's detection, and the entry that stated it before; refuses a second one. */
function detectionOf(
  { frame, index: [i], place }: Entries<never>,
  n: number,
  frameStart: Uint32Array,
  stated: Int32Array,
): number {
  const d = frameStart[frame[n]] + i[n];
  if (stated[d] >= 0)
    refuse(
      place(n),
      `detection ${i[n]} of frame ${frame[n]} stands at ${place(stated[d])} already`,
      "keep one of them",
    );
  stated[d] = n;
  return d;
}

/** Costs of detections without links; NaN where a detection costs its birth and its death, and null where all do. */
export function unusedCosts(
  entries: CostEntries | null,
  each: number | null,
  frameStart: Uint32Array,
): Float64Array | null {
  if (entries === null && each === null) return null;
  const detections = frameStart[frameStart.length - 1];
  const unused = new Float64Array(detections).fill(each ?? Number.NaN);
  const stated = new Int32Array(detections).fill(-1);
  for (let n = 0; entries !== null && n < entries.length; n++)
    unused[detectionOf(entries, n, frameStart, stated)] = entries.cost[n];
  return unused;
}

/** The sets in the order of their numbers, each with its detections in order. */
export function exclusionsOf(entries: SetEntries, frameStart: Uint32Array): Exclusions {
  const { frame, index, set, place } = entries;
  const order = Array.from(set.keys()).sort(
    (a, b) => set[a] - set[b] || frame[a] - frame[b] || index[0][a] - index[0][b],
  );
  const setStart = [0];
  order.forEach((n, at) => {
    const before = order[at - 1];
    if (before === undefined || set[before] !== set[n]) {
      if (before !== undefined) setStart.push(at);
      return;
    }
    if (frame[before] !== frame[n])
      refuse(
        place(n),
        `set ${set[n]} has a detection of frame ${frame[before]} too`,
        "give each frame sets of its own",
      );
    if (index[0][before] === index[0][n])
      refuse(
        place(n),
        `detection ${index[0][n]} of frame ${frame[n]} is in set ${set[n]} twice`,
        "keep one of the rows",
      );
  });
  if (order.length > 0) setStart.push(order.length);
  return {
    setStart: Uint32Array.from(setStart),
    member: Uint32Array.from(order, (n) => frameStart[frame[n]] + index[0][n]),
  };
}

/** Costs of divisions by detection; NaN where there is none. */
export function divisionCosts(entries: CostEntries, frameStart: Uint32Array): Float64Array {
  const last = frameStart[frameStart.length - 2];
  const late = entries.frame.findIndex((p, n) => frameStart[p] + entries.index[0][n] >= last);
  if (late >= 0)
    refuse(entries.place(late), "a detection of the last frame cannot divide", "leave the row out, or add a frame");
  return unusedCosts(entries, null, frameStart) as Float64Array;
}
