import { bitAt, packBits } from "../../core/bits.js";
import type { Item } from "../certificate/cuts.js";
import { fileOrder } from "../instance/edges.js";
import { type Graph, isLink } from "../instance/instance.js";
import type { Decision, Proof, Stage } from "./proof.js";

/** Tracks, and a proof of what they cost at least. */
interface ProvedTracks {
  readonly tracks: Int32Array;
  readonly proof: Proof;
}

/** The same by the numbers that edges have in files. */
export function toFile(graph: Graph, { tracks, proof }: ProvedTracks): ProvedTracks {
  const place = placesOf(fileOrder(graph));
  return {
    tracks: tracks.map((e) => place[e] ?? e),
    proof: renumbered(graph, proof, (order) => ({ next: placesOf(order), last: order })),
  };
}

/** Tracks and a proof with the numbers of files, by the numbers of the graph and its cores. Parts that do not fit them stay, for the check to refuse. */
export function fromFile(graph: Graph, { tracks, proof }: ProvedTracks): ProvedTracks {
  const order = fileOrder(graph);
  return {
    tracks: tracks.map((k) => order[k] ?? k),
    proof: partFromFile(graph, proof),
  };
}

/** Stages and leaves with the numbers of files, by those of the graph and its cores. */
export function partFromFile(graph: Graph, part: Proof): Proof {
  return renumbered(graph, part, (order) => ({ next: order, last: placesOf(order) }));
}

/** How edges are numbered anew: the next number of each, and the last number of each next one. */
interface Numbers {
  readonly next: Uint32Array;
  readonly last: Uint32Array;
}

/** An instance or a core as files number it: the order of its edges there, and which of them are births and deaths. */
interface Numbered {
  readonly order: Uint32Array;
  readonly isEnd: Uint8Array;
}

/** @param numbersOf of an instance or a core, from its order in files: place k is edge number `order[k]` */
function renumbered(graph: Graph, proof: Proof, numbersOf: (order: Uint32Array) => Numbers): Proof {
  const isEnd = Uint8Array.from({ length: graph.edges }, (_, e) => (isLink(graph, e) ? 0 : 1));
  // Regions count their own edges, in the order of the graph's.
  const { regions } = proof;
  return { ...renumberedPart({ order: fileOrder(graph), isEnd }, proof, numbersOf), ...(regions && { regions }) };
}

function renumberedPart(part: Numbered, { stages, leaves }: Proof, numbersOf: (order: Uint32Array) => Numbers): Proof {
  let { order, isEnd } = part;
  const moved: Stage[] = [];
  for (const [n, stage] of stages.entries()) {
    const { v, core } = stage;
    const { length } = order;
    // The check refuses what does not fit, and looks at nothing that follows.
    const fits = v.length === length && (core === undefined || core.edges.length === Math.ceil(length / 8));
    if (!fits) return { stages: [...moved, ...stages.slice(n)], leaves };
    const numbers = numbersOf(order);
    if (core === undefined) {
      moved.push(withNumbers(stage, numbers));
      continue;
    }
    const edges = packBits(Uint8Array.from(numbers.last, (e) => Number(bitAt(core.edges, e))));
    moved.push({ ...withNumbers(stage, numbers), core: { ...core, edges } });
    const byEdge = numbers.next === order ? edges : core.edges;
    // A core keeps all births and deaths, and the links that are marked.
    const kept = isEnd.map((one, e) => one | Number(bitAt(byEdge, e)));
    const inCore = placesOf(
      Uint32Array.from(kept.keys()).filter((e) => kept[e] === 1),
      length,
    );
    order = order.filter((e) => kept[e] === 1).map((e) => inCore[e]);
    isEnd = isEnd.filter((_, e) => kept[e] === 1);
  }
  const { next } = numbersOf(order);
  const ofParts = leaves.map((leaf) => ({
    ...renumberedPart({ order, isEnd }, leaf, numbersOf),
    decisions: leaf.decisions.map(([e, value]): Decision => [next[e] ?? e, value]),
  }));
  return { stages: moved, leaves: ofParts };
}

/** Edges that are not there keep their numbers, for the check to refuse. */
function withNumbers(stage: Stage, { next, last }: Numbers): Stage {
  const { v, cuts } = stage;
  const renumber = ([e, f]: Item): Item => [next[e] ?? e, f < 0 ? f : (next[f] ?? f)];
  return {
    ...stage,
    v: v.map((_, k) => v[last[k]]),
    cuts: cuts.map((cut) => ({ ...cut, items: cut.items.map(renumber) })),
  };
}

/** The place of each edge in a list of some of `edges`; 0 for those that are not in it. */
function placesOf(list: Uint32Array, edges = list.length): Uint32Array {
  const place = new Uint32Array(edges);
  list.forEach((e, k) => {
    place[e] = k;
  });
  return place;
}
