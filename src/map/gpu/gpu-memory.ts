import { writeStorage } from "../../gpu/buffers.js";
import { DeviceMemoryError } from "../../gpu/device-error.js";
import type { GpuSession } from "../../gpu/session.js";
import { Shader } from "../../gpu/wgsl/shader.js";
import { Workspace } from "../../gpu/workspace.js";
import type { GpuLapBatch } from "../../lap/gpu-batch.js";
import type { LapMethod } from "../../lap/method.js";
import { PLANES } from "../dual/proximal-step.js";
import { localColumns } from "../dual/state.js";
import { halvesOf } from "../dual/steps.js";
import type { Graph } from "../instance/instance.js";
import { type Chunks, cutIntoBlocks, cutIntoChunks, EDGES_PER_CHUNK } from "./gpu-chunks.js";
import { createLaps } from "./gpu-laps.js";
import { type DetectionLists, listDetections, type Range } from "./gpu-lists.js";
import { type StoredMemory, uploadTriplets } from "./gpu-triplets.js";

/** The graph and the ascent's state on the device. */
export interface GpuMemory extends DetectionLists {
  readonly graph: Graph;
  /** Buffers by the names that the kernels declare: numbers are f32, indices u32, records those of layout.wgsl; lengths as in Graph and AscentState. */
  readonly work: Workspace;
  readonly laps: GpuLapBatch;
  /** Those by which tracks are made and repaired; null for stored triplets. */
  readonly tracksLaps: GpuLapBatch | null;
  /** layout.wgsl, for its records. */
  readonly layout: Shader;
  readonly pairRange: readonly [Range, Range];
  /** The frame pair of each chunk. */
  readonly pairOfChunk: readonly number[];
  readonly chunkRange: readonly [Range, Range];
  readonly blockRange: readonly [Range, Range];
  /** null for implicit triplets. */
  readonly stored: StoredMemory | null;
  destroy(): void;
}

/** Buffers of the tracks that are made and repaired, in place of those of the ascent. */
export const TRACKS = {
  outEdge: "outEdge of tracks",
  intoEdge: "intoEdge of tracks",
  limit: "limit of tracks",
  dual: "dual of tracks",
  columnOfRow: "columnOfRow of tracks",
} as const;

const LAP_BUFFERS = ["limit", "dual", "columnOfRow"] as const;

/** The edges on the device, links and others: their ends, and where the prices of links belong. */
export interface LinkBuffers {
  readonly edges: number;
  readonly tail: GPUBuffer;
  readonly head: GPUBuffer;
  /** C. */
  readonly cost: GPUBuffer;
  /** m, or null for stored triplets. */
  readonly perEdge: GPUBuffer | null;
}

/** What to do where the device cannot hold an instance. */
export const REMEDY_FOR_MEMORY = "use fewer frames, a tighter gate, --triplets implicit or --device cpu";

/** Prices the links on the device, from their ends. */
export type LinkPricer = (links: LinkBuffers) => Promise<void>;

export interface MemoryOptions {
  /** Bytes of stored triplets that one buffer may hold; the device's largest binding unless told. */
  readonly tripletBytes?: number | undefined;
  /** Edges of a pair that one workgroup moves. */
  readonly edgesPerChunk?: number | undefined;
  /** What solves the X-LAPs [auto]. */
  readonly xLaps?: LapMethod | undefined;
  /** Prices the links on the device; without, their prices are uploaded. */
  readonly priceLinks?: LinkPricer | null;
}

/**
 * Uploads a graph, which happens only once. With a pricer, C and m of the links are not uploaded.
 * @throws DeviceError when the device cannot hold it
 */
export async function createGpuMemory(
  session: GpuSession,
  graph: Graph,
  options: MemoryOptions = {},
): Promise<GpuMemory> {
  try {
    return await uploadGraph(session, graph, options);
  } catch (error) {
    if (!(error instanceof DeviceMemoryError)) throw error;
    throw new DeviceMemoryError(error.what, REMEDY_FOR_MEMORY);
  }
}

async function uploadGraph(
  session: GpuSession,
  graph: Graph,
  { tripletBytes, edgesPerChunk = EDGES_PER_CHUNK, xLaps = "auto", priceLinks = null }: MemoryOptions,
): Promise<GpuMemory> {
  const halves = halvesOf(graph.frames - 1);
  const layout = new Shader(new URL("./layout.wgsl", import.meta.url));
  const column = localColumns(graph);
  const laps = await createLaps(session, graph, column, halves, xLaps);
  const lists = listDetections(graph);
  const order = halves.flat();
  const [chunks, blocks] = [cutIntoChunks(graph, order, edgesPerChunk), cutIntoBlocks(graph, order)];
  const work = new Workspace(session, "instance");
  const tracksLaps = graph.triplets.kind === "implicit" ? laps.beside("of tracks") : null;
  const destroy = (): void => {
    laps.destroy();
    work.destroy();
  };
  try {
    const stored = await session.scoped("instance", () => {
      uploadIndex(work, layout, graph, column);
      uploadLists(work, graph, lists.listed);
      work.upload("pairs", layout.struct("Pair").pack(pairRecords(graph, order, chunks, blocks)));
      work.upload("chunks", layout.struct("Chunk").pack(chunks.records));
      work.upload("blocks", layout.struct("Chunk").pack(blocks.records));
      work.storage("values", PLANES * blocks.records.length);
      uploadCosts(work, graph, priceLinks !== null);
      createState(work, layout, graph, chunks.records.length);
      for (const name of LAP_BUFFERS) work.lend(name, { buffer: laps[name] });
      if (tracksLaps !== null) createTracks(work, graph, tracksLaps);
      return uploadTriplets(work, graph, tripletBytes);
    });
    const [tail, head, cost, perEdge] = ["tail", "head", "cost", "perEdge"].map((name) => work.buffer(name));
    await priceLinks?.({ edges: graph.edges, tail, head, cost, perEdge: stored === null ? perEdge : null });
    const even = halves[0].length;
    const pairRange = twoRanges(even, order.length);
    const [chunkRange, blockRange] = [chunks, blocks].map(({ firstOf, records }) =>
      twoRanges(firstOf[even], records.length),
    );
    return {
      ...lists,
      graph,
      work,
      laps,
      tracksLaps,
      layout,
      pairRange,
      pairOfChunk: chunks.records.map(({ pair }) => order[pair]),
      chunkRange,
      blockRange,
      stored,
      destroy,
    };
  } catch (error) {
    destroy();
    throw error;
  }
}

/** The places before `middle`, and those from there on. */
function twoRanges(middle: number, end: number): [Range, Range] {
  return [
    { first: 0, count: middle },
    { first: middle, count: end - middle },
  ];
}

/** Detections and edges of the graph. */
function uploadIndex(work: Workspace, layout: Shader, graph: Graph, column: Uint32Array): void {
  const { frames, frameStart, links, edges, tail, head } = graph;
  const { linkStart, linkEnd, deathOf, birthOf } = graph;
  const [firstEnd, lastStart, detections] = [frameStart[1], frameStart[frames - 1], frameStart[frames]];
  const hasBirths = edges > links ? 1 : 0;
  work.uniform("shape", layout.struct("Shape"), {
    edges,
    hasBirths,
    firstEnd,
    lastStart,
    detections,
    pairs: frames - 1,
  });
  const fields = { linkStart, linkEnd, death: deathOf, birth: birthOf };
  work.upload("detections", layout.struct("Detection").packIntegers(fields));
  work.upload("tail", Uint32Array.from(tail));
  work.upload("head", Uint32Array.from(head));
  work.upload("column", Uint32Array.from(column));
}

/** The lists, whose edges the host does not keep. */
function uploadLists(work: Workspace, { triplets, inEdge }: Graph, listed: Uint32Array): void {
  const edges = Uint32Array.from(triplets.kind === "implicit" ? triplets.inByM : inEdge);
  const lists = work.storage("lists", listed.length + edges.length);
  writeStorage(work.session, lists, listed);
  writeStorage(work.session, lists, edges, listed.length);
}

/** C and m; where links are priced on the device, those of births and deaths alone. */
function uploadCosts(work: Workspace, graph: Graph, areLinksPriced: boolean): void {
  const { edges, edgeStart, deathStart, cost, triplets } = graph;
  const perEdge = triplets.kind === "implicit" ? triplets.perEdge : new Float64Array(1);
  if (!areLinksPriced) {
    work.upload("cost", Float32Array.from(cost));
    work.upload("perEdge", Float32Array.from(perEdge));
    return;
  }
  const buffer = work.storage("cost", edges);
  work.storage("perEdge", perEdge.length);
  deathStart.forEach((first, p) => {
    if (first < edgeStart[p + 1]) {
      writeStorage(work.session, buffer, Float32Array.from(cost.subarray(first, edgeStart[p + 1])), first);
    }
  });
}

/** Records of frame pairs in the order in which their chunks and blocks were cut. */
function pairRecords(graph: Graph, order: readonly number[], chunks: Chunks, blocks: Chunks) {
  const { frameStart, edgeStart, birthStart } = graph;
  return order.map((p, k) => ({
    edgeStart: edgeStart[p],
    birthStart: birthStart[p],
    nextStart: edgeStart[p + 1],
    nextEnd: birthStart[p + 1] ?? edgeStart[p + 1],
    rowStart: frameStart[p],
    columnStart: frameStart[p + 1],
    columnEnd: frameStart[p + 2],
    index: p,
    firstChunk: chunks.firstOf[k],
    firstBlock: blocks.firstOf[k],
    blocks: blocks.firstOf[k + 1] - blocks.firstOf[k],
  }));
}

/** What the steps write. */
function createState(work: Workspace, layout: Shader, graph: Graph, chunkCount: number): void {
  const { frames, frameStart, edges } = graph;
  const [detections, pairs] = [frameStart[frames], frames - 1];
  for (const name of ["v", "kept", "delta", "best", "reduced", "taken", "passed"]) work.storage(name, edges);
  for (const name of ["outEdge", "intoEdge"]) work.storage(name, detections);
  work.storage("keptDual", frameStart[frames - 1] + detections - frameStart[1]);
  work.storage("differing", 1);
  work.storage("plane", 2 * PLANES * detections);
  work.storage("planes", layout.struct("Planes").words * pairs);
  work.storage("measured", layout.struct("Measured").words * chunkCount);
}

/** What the search for tracks works on. */
function createTracks(work: Workspace, { edges, frames, frameStart }: Graph, laps: GpuLapBatch): void {
  for (const name of LAP_BUFFERS) work.lend(TRACKS[name], { buffer: laps[name] });
  work.storage("local", edges);
  for (const name of [TRACKS.outEdge, TRACKS.intoEdge]) work.storage(name, frameStart[frames]);
}
