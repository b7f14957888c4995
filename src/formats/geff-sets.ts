/** The nodes of a folder of GEFF that exclude each other. */
import { join } from "node:path";
import { frameOfDetections } from "../core/detections.js";
import { startsOf } from "../core/rows.js";
import { refuse, shown } from "../files/refusal.js";
import type { Exclusions } from "../map/instance/priced.js";
import { type GeffNodes, numbersOf } from "./geff-nodes.js";
import type { GeffStore } from "./geff-store.js";

/**
 * Sets of which all members are paired, so many that each pair is in one, and each as large as it can be: they say what the pairs say, and bound better. Pairs of
 * a tree of hypotheses, each with those that it is a part of, become the tree's paths.
 */
export function cliquesOf(pairs: readonly (readonly [number, number])[]): number[][] {
  const others = new Map<number, Set<number>>();
  const othersOf = (d: number): Set<number> => {
    const found = others.get(d) ?? new Set();
    others.set(d, found);
    return found;
  };
  for (const [a, b] of pairs) {
    othersOf(a).add(b);
    othersOf(b).add(a);
  }
  const covered = new Set<string>();
  const keyOf = (a: number, b: number) => (a < b ? `${a} ${b}` : `${b} ${a}`);
  return pairs.flatMap(([a, b]) => {
    if (covered.has(keyOf(a, b))) return [];
    const set = [a, b];
    for (const c of othersOf(a)) if (!set.includes(c) && set.every((d) => othersOf(d).has(c))) set.push(c);
    set.forEach((d, n) => {
      for (const c of set.slice(n + 1)) covered.add(keyOf(d, c));
    });
    return [set];
  });
}

/** Pairs of nodes that overlap, where ultrack writes them; it names nodes that the graph does not have, too. */
const OVERLAPS = "overlaps/ids";

/**
 * The sets of a property that numbers them, with a column for each set that a node may be in, and the pairs of overlaps.
 * @param name of the property
 * @param isStated whether the property must be there
 */
export async function exclusiveNodes(
  store: GeffStore,
  nodes: GeffNodes,
  detectionOf: Int32Array,
  frameStart: Uint32Array,
  name: string,
  isStated: boolean,
): Promise<{ readonly exclusions: Exclusions | null; readonly used: readonly string[] }> {
  const { folder } = store;
  const sets: number[][] = [];
  const used: string[] = [];
  const numbered = await numbersOf(store, "nodes", name, detectionOf.length);
  const place = join(folder, "nodes/props", name);
  if (numbered === null && isStated)
    refuse(place, "is not there", `the properties of nodes are ${store.properties("nodes").join(", ")}`);
  if (numbered !== null) {
    used.push("exclusion");
    const { values, width } = numbered;
    const bySet = new Map<number, number[]>();
    values.forEach((set, at) => {
      if (Number.isNaN(set) || set < 0) return;
      const node = Math.floor(at / width);
      if (!Number.isInteger(set))
        refuse(
          `${place}, node ${nodes.ids[node]}`,
          `${set} is no set's number`,
          "number the sets; missing or -1 is none",
        );
      const members = bySet.get(set) ?? [];
      bySet.set(set, members);
      members.push(detectionOf[node]);
    });
    sets.push(...bySet.values());
  }
  const overlaps = await store.array(OVERLAPS);
  if (overlaps !== null && overlaps.values.length > 0) {
    if (overlaps.shape.length !== 2 || overlaps.shape[1] !== 2)
      refuse(
        join(folder, OVERLAPS),
        `has the shape ${overlaps.shape.join(" × ")}, not two ids a row`,
        "write pairs of nodes that overlap",
      );
    used.push("overlaps");
    const pairs: [number, number][] = [];
    for (let n = 0; n < overlaps.values.length; n += 2) {
      const [a, b] = [overlaps.values[n], overlaps.values[n + 1]].map((id) => nodes.nodeOf.get(id));
      if (a !== undefined && b !== undefined) pairs.push([detectionOf[a], detectionOf[b]]);
    }
    sets.push(...cliquesOf(pairs));
  }
  const frameOf = frameOfDetections(frameStart);
  const idOf = (d: number) => shown(String(nodes.ids[detectionOf.indexOf(d)]));
  for (const set of sets) {
    set.sort((a, b) => a - b);
    const other = set.find((d) => frameOf[d] !== frameOf[set[0]]);
    if (other !== undefined)
      refuse(
        folder,
        `has nodes ${idOf(set[0])} and ${idOf(other)} of different frames in one set`,
        "give each frame sets of its own",
      );
    const again = set.find((d, n) => n > 0 && d === set[n - 1]);
    if (again !== undefined) refuse(folder, `has node ${idOf(again)} twice in a set`, "name it once");
  }
  const several = sets.filter((set) => set.length > 1);
  if (several.length === 0) return { exclusions: null, used };
  const setStart = startsOf(several.map((set) => set.length));
  return { exclusions: { setStart, member: Uint32Array.from(several.flat()) }, used };
}
