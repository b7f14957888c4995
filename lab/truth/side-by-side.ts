import { type Graph, linkBetween } from "../../src/map/instance/instance.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";

/** Problems with births, stored triplets and as many frames each as one problem, without links between them; `places` numbers their detections in it. */
export function sideBySide(parts: readonly PricedProblem[]): {
  problem: PricedProblem;
  places: readonly Uint32Array[];
} {
  const frames = parts[0].links.frameStart.length - 1;
  const places = parts.map(({ links }) => new Uint32Array(links.frameStart[frames]));
  const frameStart = new Uint32Array(frames + 1);
  let detections = 0;
  for (let p = 0; p < frames; p++) {
    parts.forEach(({ links }, k) => {
      for (let d = links.frameStart[p]; d < links.frameStart[p + 1]; d++) places[k][d] = detections++;
    });
    frameStart[p + 1] = detections;
  }
  /** New links in order, each by its part and its number there. */
  const order: (readonly [part: number, link: number])[] = [];
  const numbers = parts.map(({ links }) => new Uint32Array(links.tail.length));
  for (let p = 0; p + 1 < frames; p++) {
    parts.forEach(({ links }, k) => {
      links.tail.forEach((i, e) => {
        if (i < links.frameStart[p] || i >= links.frameStart[p + 1]) return;
        numbers[k][e] = order.length;
        order.push([k, e]);
      });
    });
  }
  const rowStart = [0];
  const successor: number[] = [];
  const cost: number[] = [];
  for (const [k, e] of order) {
    const { triplets } = parts[k];
    if (triplets?.kind !== "csr") throw new Error("triplets are stored");
    for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) {
      successor.push(numbers[k][triplets.successor[t]]);
      cost.push(triplets.cost[t]);
    }
    rowStart.push(successor.length);
  }
  const [birth, death] = (["birth", "death"] as const).map((end) => {
    const all = new Float64Array(detections);
    parts.forEach(({ birthDeath }, k) => {
      if (birthDeath === null) throw new Error("tracks may start and end");
      birthDeath[end].forEach((value, d) => {
        all[places[k][d]] = value;
      });
    });
    return all;
  });
  const problem: PricedProblem = {
    links: {
      frameStart,
      tail: Int32Array.from(order, ([k, e]) => places[k][parts[k].links.tail[e]]),
      head: Int32Array.from(order, ([k, e]) => places[k][parts[k].links.head[e]]),
      cost: Float64Array.from(order, ([k, e]) => parts[k].links.cost[e]),
    },
    triplets: {
      kind: "csr",
      rowStart: Uint32Array.from(rowStart),
      successor: Uint32Array.from(successor),
      cost: Float64Array.from(cost),
    },
    birthDeath: { birth, death },
  };
  return { problem, places };
}

/** An edge of a part as an edge of all parts together. */
export function edgeBeside(all: Graph, { tail, head }: Graph, place: Uint32Array, e: number): number {
  if (tail[e] >= 0 && head[e] >= 0) return linkBetween(all, place[tail[e]], place[head[e]]);
  return tail[e] >= 0 ? all.deathOf[place[tail[e]]] : all.birthOf[place[head[e]]];
}
