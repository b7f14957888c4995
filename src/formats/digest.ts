import { createHash } from "node:crypto";
import { picked } from "../core/growing-array.js";
import { fileOrder } from "../map/instance/edges.js";
import type { Graph, StoredTriplets } from "../map/instance/instance.js";
import { tripletRule } from "../map/instance/triplet-rules.js";

/** SHA-256 over frames, edges and costs, little-endian, with edges in the order of files. */
export function digestOf(graph: Graph): string {
  const { frameStart, links, tail, head, cost, triplets, surcharge, exclusions, motherOf } = graph;
  const order = fileOrder(graph);
  const hash = createHash("sha256");
  const add = (name: string, { buffer, byteOffset, byteLength, length }: Float64Array | Uint32Array | Int32Array) => {
    hash.update(`${name} ${length}\n`).update(new Uint8Array(buffer, byteOffset, byteLength));
  };
  const rule = triplets.kind === "implicit" ? triplets.rule : "";
  hash.update(`${triplets.kind} ${typeof rule === "string" ? rule : rule.js} ${links}\n`);
  add("frameStart", frameStart);
  add("tail", picked(tail, order));
  add("head", picked(head, order));
  add("cost", picked(cost, order));
  if (surcharge !== null) add("stated", picked(surcharge.stated, order.subarray(links)));
  if (triplets.kind === "implicit") {
    const { width } = tripletRule(triplets.rule);
    const perLink = Float64Array.from({ length: width * links }, (_, n) => {
      return triplets.perEdge[width * order[Math.floor(n / width)] + (n % width)];
    });
    add("perLink", perLink);
  } else {
    const { rowStart, successor, cost } = rowsInOrder(triplets, order);
    add("start", rowStart);
    add("successor", successor);
    add("triplets", cost);
  }
  if (exclusions !== null) {
    add("setStart", exclusions.setStart);
    add("member", exclusions.member);
  }
  if (motherOf !== null) add("motherOf", motherOf);
  return hash.digest("hex");
}

function rowsInOrder({ count, rowStart, successor, cost }: StoredTriplets, order: Uint32Array) {
  const place = new Uint32Array(order.length);
  for (const [k, e] of order.entries()) place[e] = k;
  const rows = {
    rowStart: new Uint32Array(order.length + 1),
    successor: new Uint32Array(count),
    cost: new Float64Array(count),
  };
  let at = 0;
  for (const [k, e] of order.entries()) {
    for (let t = rowStart[e]; t < rowStart[e + 1]; t++, at++) {
      rows.successor[at] = place[successor[t]];
      rows.cost[at] = cost[t];
    }
    rows.rowStart[k + 1] = at;
  }
  return rows;
}
