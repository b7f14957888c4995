import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "./instance.js";

/** A largest matching of one frame pair's links: how many detections can be linked at once, and a cover that proves that no more can. */
export interface LinkCover {
  /**
   * A least set of detections that every link of the pair touches (König), by their numbers: tails in frame p, heads in frame
   * p + 1. No matching has more links than it has members, since each link uses one of its own.
   */
  readonly tails: ReadonlySet<number>;
  readonly heads: ReadonlySet<number>;
  /** The matching, a largest one and preferably cheap: the head of each tail of frame p, UNASSIGNED where it has none. */
  readonly headOf: Int32Array;
  /** Tails whose links all end in fewer `heads` than they are, and those heads (a violation of Hall's condition); null where every tail can be linked. */
  readonly short: { readonly tails: readonly number[]; readonly heads: readonly number[] } | null;
}

export type Links = Pick<Graph, "frameStart" | "linkStart" | "linkEnd" | "head" | "cost">;

/** Between two empty frames, of which a recording may have a million. */
const NOTHING: LinkCover = { tails: new Set(), heads: new Set(), headOf: new Int32Array(0), short: null };

/**
 * Takes the cheapest links first, then finds augmenting paths breadth first (Kuhn 1955, König 1931). A search that fails leaves a tree whose heads all belong to its own tails:
 * no later path can pass through it, so it is never entered again, and all failed searches together visit each link once.
 */
export function linkCover({ frameStart, linkStart, linkEnd, head, cost }: Links, pair: number): LinkCover {
  const rows = frameStart[pair];
  const columns = frameStart[pair + 1];
  const end = frameStart[pair + 2];
  if (rows === end) return NOTHING;
  const headOf = new Int32Array(columns - rows).fill(UNASSIGNED);
  const tailOf = new Int32Array(end - columns).fill(UNASSIGNED);
  const reachedFrom = new Int32Array(end - columns).fill(UNASSIGNED);
  /** The number of the search that entered a head last; the marks of failed searches stay. */
  const enteredBy = new Int32Array(end - columns).fill(UNASSIGNED);
  const failed = new Uint8Array(columns - rows);
  const closed = new Uint8Array(end - columns);
  let short: LinkCover["short"] = null;

  /** The free head that a path from the queue's first tail ends in, or UNASSIGNED; `queue` then holds the tree's tails. */
  const search = (queue: number[], seen: number[]): number => {
    const root = queue[0];
    for (const i of queue) {
      for (let e = linkStart[i]; e < linkEnd[i]; e++) {
        const j = head[e];
        if (enteredBy[j - columns] === root || closed[j - columns] === 1) continue;
        enteredBy[j - columns] = root;
        reachedFrom[j - columns] = i;
        if (tailOf[j - columns] === UNASSIGNED) return j;
        seen.push(j);
        queue.push(tailOf[j - columns]);
      }
    }
    return UNASSIGNED;
  };

  const links: [number, number][] = [];
  for (let i = rows; i < columns; i++) for (let e = linkStart[i]; e < linkEnd[i]; e++) links.push([i, e]);
  for (const [i, e] of links.sort(([, e], [, f]) => cost[e] - cost[f])) {
    if (headOf[i - rows] !== UNASSIGNED || tailOf[head[e] - columns] !== UNASSIGNED) continue;
    headOf[i - rows] = head[e];
    tailOf[head[e] - columns] = i;
  }
  for (let i = rows; i < columns; i++) {
    if (headOf[i - rows] !== UNASSIGNED) continue;
    const tree = [i];
    const seen: number[] = [];
    let j = search(tree, seen);
    if (j === UNASSIGNED) {
      // A tail may also lead into an earlier failed tree; only the first tree is closed in itself.
      short ??= { tails: tree, heads: seen };
      for (const tail of tree) failed[tail - rows] = 1;
      for (const reached of seen) closed[reached - columns] = 1;
    }
    while (j !== UNASSIGNED) {
      const tail = reachedFrom[j - columns];
      const next = headOf[tail - rows];
      headOf[tail - rows] = j;
      tailOf[j - columns] = tail;
      j = next;
    }
  }
  const tails = new Set<number>();
  for (let i = rows; i < columns; i++) if (failed[i - rows] === 0) tails.add(i);
  const heads = new Set<number>();
  for (let j = columns; j < end; j++) if (closed[j - columns] === 1) heads.add(j);
  return { tails, heads, headOf, short };
}
