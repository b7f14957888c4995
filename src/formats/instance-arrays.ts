import { picked } from "../core/growing-array.js";
import { rowStarts } from "../core/rows.js";
import { refuse } from "../files/refusal.js";
import { linkBetween } from "../map/instance/instance.js";
import type { PricedLinks, PricedStoredTriplets } from "../map/instance/priced.js";
import type { CostEntries } from "./cost-entries.js";

/** Most triplets, listed and free ones together. */
const maxTriplets = 2 ** 30;

/** The pairs as links sorted by (tail, head), with detections numbered from 0 over all frames. Refuses a pair given twice. */
export function linksOf(pairs: CostEntries, frameStart: Uint32Array): PricedLinks {
  const { frame, cost } = pairs;
  const [i, j] = pairs.index;
  const detections = frameStart[frameStart.length - 1];
  const tail = new Uint32Array(frame).map((p, e) => frameStart[p] + i[e]);
  const head = new Uint32Array(frame).map((p, e) => frameStart[p + 1] + j[e]);
  const order = sortedBy(tail, head, detections);
  for (let n = 1; n < order.length; n++) {
    const [before, e] = [order[n - 1], order[n]];
    if (tail[before] === tail[e] && head[before] === head[e]) {
      refuse(
        pairs.place(e),
        `pair (${frame[e]}, ${i[e]}, ${j[e]}) stands at ${pairs.place(before)} already`,
        "keep one of them",
      );
    }
  }
  return {
    frameStart,
    tail: new Int32Array(order).map((e) => tail[e]),
    head: new Int32Array(order).map((e) => head[e]),
    cost: picked(cost, order),
  };
}

/**
 * The triplets as CSR rows over the links. Refuses a triplet without its two pairs, and one given twice. With absent ones
 * "free", every two consecutive links have an entry, 0 where none is listed.
 */
export function tripletsOf(
  triplets: CostEntries,
  links: PricedLinks,
  frames: number,
  absent: "forbidden" | "free",
  folder: string,
): PricedStoredTriplets {
  const { frame, cost, place } = triplets;
  const [i, j, k] = triplets.index;
  const outStart = rowStarts(links.tail, links.frameStart[frames]);
  const rows = { linkStart: outStart, linkEnd: outStart.subarray(1), head: links.head };
  const into = new Uint32Array(triplets.length);
  const out = new Uint32Array(triplets.length);
  for (let t = 0; t < triplets.length; t++) {
    const p = frame[t];
    const [a, b, c] = [links.frameStart[p] + i[t], links.frameStart[p + 1] + j[t], links.frameStart[p + 2] + k[t]];
    const [e, f] = [linkBetween(rows, a, b), linkBetween(rows, b, c)];
    if (e < 0 || f < 0) {
      const pair = e < 0 ? `(${p}, ${i[t]}, ${j[t]})` : `(${p + 1}, ${j[t]}, ${k[t]})`;
      const triplet = `triplet (${p}, ${i[t]}, ${j[t]}, ${k[t]})`;
      refuse(place(t), `${triplet} needs the pair ${pair}, which is not given`, "add the pair or remove the triplet");
    }
    into[t] = e;
    out[t] = f;
  }
  const order = sortedBy(into, out, links.tail.length);
  for (let n = 1; n < order.length; n++) {
    const [before, t] = [order[n - 1], order[n]];
    if (into[before] === into[t] && out[before] === out[t]) {
      const triplet = `triplet (${frame[t]}, ${i[t]}, ${j[t]}, ${k[t]})`;
      refuse(place(t), `${triplet} stands at ${place(before)} already`, "keep one of them");
    }
  }
  const listed: PricedStoredTriplets = {
    kind: "csr",
    rowStart: rowStarts(picked(into, order), links.tail.length),
    successor: picked(out, order),
    cost: picked(cost, order),
  };
  return absent === "forbidden" ? listed : withFreeTriplets(listed, links.head, outStart, folder);
}

/** The listed triplets and, at cost 0, every other two consecutive links. */
function withFreeTriplets(
  listed: PricedStoredTriplets,
  head: Int32Array,
  outStart: Uint32Array,
  folder: string,
): PricedStoredTriplets {
  let total = 0;
  const rowStart = new Uint32Array(head.length + 1);
  head.forEach((d, e) => {
    total += outStart[d + 1] - outStart[d];
    if (total > maxTriplets) {
      refuse(folder, `has more than ${maxTriplets} triplets with the free ones`, 'set absentTriplets to "forbidden"');
    }
    rowStart[e + 1] = total;
  });
  const successor = new Uint32Array(total);
  const cost = new Float64Array(total);
  head.forEach((d, e) => {
    for (let n = 0; n < outStart[d + 1] - outStart[d]; n++) successor[rowStart[e] + n] = outStart[d] + n;
    for (let t = listed.rowStart[e]; t < listed.rowStart[e + 1]; t++) {
      cost[rowStart[e] + listed.successor[t] - outStart[d]] = listed.cost[t];
    }
  });
  return { kind: "csr", rowStart, successor, cost };
}

/** Entry numbers by (first, second), both below `bound`; equal ones keep their order. Two passes of a counting sort. */
export function sortedBy(first: Uint32Array, second: Uint32Array, bound: number): Uint32Array {
  let order = Uint32Array.from(first.keys());
  for (const key of [second, first]) {
    const next = rowStarts(key, bound);
    const sorted = new Uint32Array(order.length);
    for (const e of order) sorted[next[key[e]]++] = e;
    order = sorted;
  }
  return order;
}
