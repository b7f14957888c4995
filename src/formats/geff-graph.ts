/** A folder of GEFF as a problem: nodes with candidate edges and their costs, or nodes alone as detections. */
import { basename, join, resolve } from "node:path";
import { frameOfDetections } from "../core/detections.js";
import { frameNumber } from "../core/frame-numbers.js";
import { picked } from "../core/growing-array.js";
import { optionOf, refuse, shown } from "../files/refusal.js";
import { type CandidateGraph, pricedGraph, refusePins, withFixedLinks } from "./candidate-graph.js";
import { maxCost } from "./cost-entries.js";
import type { ReadingSource } from "./detections.js";
import { type DetectionsFile, recordingOf } from "./detections.js";
import { numbersOf as frameNumbersOf, sortByFrame } from "./frame-order.js";
import { columnOf, type GeffNodes, readEdges, readNodes } from "./geff-nodes.js";
import type { PropertyNames } from "./geff-properties.js";
import { exclusiveNodes } from "./geff-sets.js";
import { type GeffStore, openGeff } from "./geff-store.js";
import { sortedBy } from "./instance-arrays.js";
import type { InstanceFolder } from "./instance-folder.js";
import { READ } from "./row-warnings.js";

/** Where no other name is stated. A score has none: what is no cost by its name may be either. */
const USUAL = {
  ...{ cost: "cost", "node-cost": "cost", birth: "birth", death: "death", unused: "unused" },
  ...{ division: "division", exclusion: "exclusion", pinned: "pinned" },
};

const OPTION = "--properties";

/**
 * Its nodes as detections where it has no edges, and else the problem of its edges.
 * @throws InputError for what is no such graph, with place, value and remedy
 */
export async function readGeffGraph(
  folder: string,
  source: ReadingSource,
): Promise<
  | { readonly kind: "detections"; readonly recording: DetectionsFile }
  | { readonly kind: "instance"; readonly instance: InstanceFolder }
> {
  const other = (["columns", "decimal", "dates"] as const).find((name) => source[name] !== undefined);
  if (other !== undefined) refuse(optionOf(other), `${folder} is GEFF, no table`, `leave it out, or give ${OPTION}`);
  const store = await openGeff(folder);
  const named = source.properties ?? {};
  const nodes = await readNodes(store, named, `, or give ${OPTION}`);
  refuseOddNodes(folder, nodes);
  const { recording, order } = recordingOfNodes(store, nodes, source);
  const ends = await readEdges(store, nodes);
  if (ends.length === 0) {
    const [given] = Object.keys(named).filter((role) => !["t", "x", "y", "z"].includes(role));
    if (given !== undefined) refuse(`${OPTION} ${given}`, `${folder} has no edges`, "leave it out, or write edges");
    return { kind: "detections", recording };
  }
  const { graph, notes } = await candidatesOf(store, nodes, { recording, order, ends, named });
  const problem = pricedGraph(graph);
  const instance = { name: basename(resolve(folder)).replace(/\.(geff|zarr)$/i, ""), folder, problem, notes };
  const links = { pins: graph, fix: (fixed: Parameters<typeof withFixedLinks>[1]) => withFixedLinks(graph, fixed) };
  return { kind: "instance", instance: { ...instance, recording, graph: links } };
}

/** Ids and frames are written again, as the integers that they must be. */
function refuseOddNodes(folder: string, { ids, frame, names }: GeffNodes): void {
  for (let node = 0; node < ids.length; node++) {
    const id = ids[node];
    if (!(typeof id === "number" ? Number.isSafeInteger(id) : /^-?\d+$/.test(id)))
      refuse(join(folder, "nodes/ids"), `${shown(String(id))} is no whole number`, "number the nodes");
    if (frame[node] < 0)
      refuse(
        join(folder, "nodes/props", names.time),
        `${frame[node]} of node ${id} is negative`,
        "number the frames 0, 1, 2, …",
      );
  }
}

/** The nodes by frame, and the node of each detection. */
function recordingOfNodes({ folder, meta }: GeffStore, nodes: GeffNodes, { dt, zScale }: ReadingSource) {
  const { ids, frame, names } = nodes;
  const axis = (name: string | null) => meta.axes?.find((one) => one.name === name);
  const unitOf = (name: string | null) => axis(name)?.scaled_unit ?? axis(name)?.unit ?? null;
  const z = zScale === 0 || nodes.z === null ? null : nodes.z.map((value) => value * (zScale ?? 1));
  const unit = unitOf(names.x);
  const differs = [names.y, ...(z && zScale === undefined ? [names.depth] : [])].find((name) => unitOf(name) !== unit);
  if (differs !== undefined) {
    const problem = `is in ${unitOf(differs) ?? "no unit"}, and ${names.x} in ${unit ?? "none"}`;
    refuse(join(folder, "nodes/props", String(differs)), problem, "give the axes one unit, by scale and scaled_unit");
  }
  const numbers = frameNumbersOf(frame, { metadata: new Map(), frames: null, step: 1 });
  const place = (node: number) => `${join(folder, "nodes/props", names.time)}, node ${ids[node]}`;
  const { order, frameStart } = sortByFrame({ frame, place, remedy: "number the frames one by one" }, numbers, null);
  const detections = {
    frames: frameStart.length - 1,
    frameStart,
    x: picked(nodes.x, order),
    y: picked(nodes.y, order),
    ...(z && { z: picked(z, order) }),
    ...{ vx: null, vy: null, target: null },
    timeStep: dt ?? axis(names.time)?.scale ?? 1,
  };
  const said = `${READ}GEFF${meta.geff_version ? ` ${meta.geff_version}` : ""}: frame = ${names.time}, x = ${names.x}, y = ${names.y}${z ? `, z = ${names.depth}` : ""}.`;
  const idOf = (d: number) => ids[order[d]];
  const recording: DetectionsFile = {
    ...recordingOf(folder, detections),
    ...{ line: order.map((node) => node + 1), numbers, unit, notes: [said] },
    carried: [{ name: "node", at: (d) => String(idOf(d)) }],
    nodes: { idOf, unit, timeUnit: unitOf(names.time) },
  };
  return { recording, order };
}

interface Read {
  readonly recording: DetectionsFile;
  readonly order: Uint32Array;
  readonly ends: Int32Array;
  readonly named: PropertyNames;
}

/** The edges and all that properties say of them and of the nodes. */
async function candidatesOf(store: GeffStore, nodes: GeffNodes, { recording, order, ends, named }: Read) {
  const { folder } = store;
  const { frameStart } = recording.detections;
  const detectionOf = new Int32Array(order.length);
  order.forEach((node, d) => {
    detectionOf[node] = d;
  });
  const count = ends.length / 2;
  const edge = (e: number) =>
    `${join(folder, "edges")}, edge ${e} (${nodes.ids[ends[2 * e]]} to ${nodes.ids[ends[2 * e + 1]]})`;
  const node = (d: number) => `${join(folder, "nodes")}, node ${nodes.ids[order[d]]}`;
  const used: string[] = [];
  /** The numbers of a property, by node or edge; null where the folder has none of the usual name. */
  const property = async (of: "nodes" | "edges", role: keyof typeof USUAL | "score"): Promise<Float64Array | null> => {
    const name = named[role] ?? (role === "score" ? undefined : USUAL[role]);
    if (name === undefined || (role === "pinned" && !store.properties(of).includes(name))) return null;
    const values = await columnOf(store, of, name, of === "nodes" ? order.length : count, role === "pinned");
    if (values === null && named[role] !== undefined) {
      const has = store.properties(of).join(", ") || "none";
      refuse(
        `${OPTION} ${role}=${name}`,
        `${folder} has no such property of ${of}`,
        `its properties of ${of} are ${has}`,
      );
    }
    if (values !== null) used.push(role === name ? role : `${role} = ${name}`);
    return values;
  };
  const cost = await edgeCosts(store, property, named, edge);
  const { tail, head } = orientedEdges(store, ends, detectionOf, recording, edge);
  const byNode = async (role: "node-cost" | "birth" | "death" | "unused" | "division", absent: number) => {
    const values = await property("nodes", role);
    if (values === null) return new Float64Array(order.length).fill(absent);
    const found = picked(values, order);
    found.forEach((value, d) => {
      if (Number.isNaN(value)) found[d] = absent;
      else if (!(Math.abs(value) < maxCost)) refuse(node(d), `${value} is no cost (${role})`, "correct it");
    });
    return found;
  };
  const pins = async (of: "nodes" | "edges", rows: Uint32Array, place: (row: number) => string) => {
    const values = await property(of, "pinned");
    return Int8Array.from(rows, (row, at) => {
      const value = values?.[row] ?? -1;
      if (Number.isNaN(value)) return -1;
      if (value === 0 || value === 1 || value === -1) return value;
      return refuse(
        place(at),
        `pinned ${value} says nothing`,
        "give true or 1 to require it, false or 0 to forbid it, and missing or -1 else",
      );
    });
  };
  const sorted = sortedBy(Uint32Array.from(tail), Uint32Array.from(head), order.length);
  sorted.forEach((e, n) => {
    const before = sorted[n - 1];
    if (n > 0 && tail[before] === tail[e] && head[before] === head[e])
      refuse(edge(e), `is edge ${before} again`, "keep one of them");
  });
  const sets = await exclusiveNodes(
    store,
    nodes,
    detectionOf,
    frameStart,
    named.exclusion ?? USUAL.exclusion,
    named.exclusion !== undefined,
  );
  const graph: CandidateGraph = {
    frameStart,
    tail: Int32Array.from(sorted, (e) => tail[e]),
    head: Int32Array.from(sorted, (e) => head[e]),
    cost: picked(cost, sorted),
    nodeCost: await byNode("node-cost", 0),
    birth: await byNode("birth", 0),
    death: await byNode("death", 0),
    unused: await byNode("unused", 0),
    division: await byNode("division", Number.NaN),
    exclusions: sets.exclusions,
    nodePin: await pins("nodes", order, node),
    edgePin: await pins("edges", sorted, (n) => edge(sorted[n])),
    placeOf: { node, edge: (n) => edge(sorted[n]) },
  };
  refusePins(graph);
  return {
    graph,
    notes: [
      `Costs are properties: ${[...used, ...sets.used].join(", ")}; a node without edges costs ${used.some((one) => one.startsWith("unused")) ? "what unused says" : "nothing"}.`,
    ],
  };
}

/** The cost of each edge: a cost as it is, a score with its sign turned. */
async function edgeCosts(
  store: GeffStore,
  property: (of: "edges", role: "cost" | "score") => Promise<Float64Array | null>,
  named: PropertyNames,
  edge: (e: number) => string,
): Promise<Float64Array> {
  if (named.cost !== undefined && named.score !== undefined)
    refuse(OPTION, "names a cost and a score of edges", "name the one that is to be used");
  const isScore = named.score !== undefined;
  const values = await property("edges", isScore ? "score" : "cost");
  if (values === null) {
    const has = store.properties("edges");
    const problem = `has edges without a property cost${has.length === 0 ? "" : `, but with ${has.join(", ")}`}`;
    const remedy = `say which is a cost, less being better, or a score, more being better: ${OPTION} cost=NAME or score=NAME`;
    refuse(
      store.folder,
      problem,
      has.length === 0 ? "write the costs of the edges, or remove all edges to have them estimated" : remedy,
    );
  }
  const bad = values.findIndex((value) => !(Math.abs(value) < maxCost));
  if (bad >= 0) {
    const problem = Number.isNaN(values[bad]) ? "has no number" : `has ${values[bad]}`;
    refuse(
      edge(bad),
      `${problem} for its ${isScore ? "score" : "cost"}`,
      "give it a finite one, or leave the edge out",
    );
  }
  return isScore ? values.map((value) => 0 - value) : values;
}

/** The detections that each edge joins, the earlier one first. */
function orientedEdges(
  { meta }: GeffStore,
  ends: Int32Array,
  detectionOf: Int32Array,
  { detections, numbers }: DetectionsFile,
  edge: (e: number) => string,
): { readonly tail: Int32Array; readonly head: Int32Array } {
  const frameOf = frameOfDetections(detections.frameStart);
  const [tail, head] = [new Int32Array(ends.length / 2), new Int32Array(ends.length / 2)];
  for (let e = 0; e < tail.length; e++) {
    const [a, b] = [detectionOf[ends[2 * e]], detectionOf[ends[2 * e + 1]]];
    const isTurned = frameOf[a] > frameOf[b] && meta.directed === false;
    [tail[e], head[e]] = isTurned ? [b, a] : [a, b];
    const [from, to] = [frameOf[tail[e]], frameOf[head[e]]];
    if (to === from + 1) continue;
    const joined = `goes from frame ${frameNumber(numbers, from)} to ${frameNumber(numbers, to)}`;
    if (to > from) refuse(edge(e), `${joined}, over others`, "leave it out: edges join a frame and the next one");
    const remedy =
      to === from ? "leave it out: edges join a frame and the next one" : "turn it round, or say directed: false";
    refuse(edge(e), joined, remedy);
  }
  return { tail, head };
}
