import { uploadUniform, writeStorage } from "../../gpu/buffers.js";
import { DeviceMemoryError } from "../../gpu/device-error.js";
import type { GpuSession } from "../../gpu/session.js";
import { Shader } from "../../gpu/wgsl/shader.js";
import type { GpuLapBatch } from "../../lap/block-hungarian/gpu-batch.js";
import { localColumns } from "../dual/state.js";
import { halvesOf } from "../dual/steps.js";
import type { Graph } from "../instance/instance.js";
import { type Chunks, cutIntoChunks, EDGES_PER_CHUNK } from "./gpu-chunks.js";
import { createLaps } from "./gpu-laps.js";
import { type DetectionLists, listDetections, type Range } from "./gpu-lists.js";
import { type StoredMemory, uploadTriplets } from "./gpu-triplets.js";
import { OwnedBuffers } from "./owned-buffers.js";

/** Planes the bundle keeps for each frame pair. */
export const GPU_PLANES = 10;

/** A second batch for the repair of tracks: the costs of its links, its limits and matching, and the edges of its tracks. */
export interface TracksMemory {
  readonly laps: GpuLapBatch;
  readonly buffers: Readonly<Record<"local" | "outEdge" | "intoEdge" | "limit" | "columnOfRow", GPUBuffer>>;
}

/**
 * The buffers that the kernels bind, by the names that they declare. Numbers are f32, indices u32, records those of layout.wgsl; lengths as in
 * Graph and AscentState.
 */
export type GpuBuffers = {
  readonly shape: GPUBuffer;
  /** Detections as heads of even pairs, then of odd ones, then as tails likewise (tails of the first frame left out). */
  readonly list: GPUBuffer;
  /** Records of the even pairs, then the odd ones; their edges in chunks likewise. */
  readonly pairs: GPUBuffer;
  readonly chunks: GPUBuffer;
  /** Where the edges of each detection are. */
  readonly detections: GPUBuffer;
  readonly inStart: GPUBuffer;
  /** As ImplicitTriplets.inByM for implicit triplets. */
  readonly inEdge: GPUBuffer;
  readonly tail: GPUBuffer;
  readonly head: GPUBuffer;
  readonly column: GPUBuffer;
  readonly cost: GPUBuffer;
  /** m for implicit triplets, one number else. */
  readonly perEdge: GPUBuffer;
  readonly v: GPUBuffer;
  readonly kept: GPUBuffer;
  readonly delta: GPUBuffer;
  readonly best: GPUBuffer;
  readonly reduced: GPUBuffer;
  /** Of the X-LAPs: duals, what staying unassigned costs, and the matching. */
  readonly dual: GPUBuffer;
  readonly limit: GPUBuffer;
  readonly columnOfRow: GPUBuffer;
  readonly outEdge: GPUBuffer;
  readonly intoEdge: GPUBuffer;
  readonly differing: GPUBuffer;
  readonly own: GPUBuffer;
  readonly passed: GPUBuffer;
  readonly constants: GPUBuffer;
  readonly plane: GPUBuffer;
  readonly clocks: GPUBuffer;
  readonly slots: GPUBuffer;
  readonly measured: GPUBuffer;
};

/** The graph and the ascent's state on the device. */
export interface GpuMemory extends DetectionLists {
  readonly graph: Graph;
  readonly laps: GpuLapBatch;
  /** layout.wgsl, for its records. */
  readonly layout: Shader;
  readonly buffers: GpuBuffers;
  readonly pairRange: readonly [Range, Range];
  readonly chunkRange: readonly [Range, Range];
  /** null for stored triplets. */
  readonly tracks: TracksMemory | null;
  /** null for implicit triplets. */
  readonly stored: StoredMemory | null;
  destroy(): void;
}

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

/** Prices the links on the device, from what it knows of their ends. */
export type LinkPricer = (links: LinkBuffers) => Promise<void>;

export interface MemoryOptions {
  /** Bytes of stored triplets that one buffer may hold; the device's largest binding unless told. */
  readonly tripletBytes?: number | undefined;
  /** Edges of a pair that one workgroup moves. */
  readonly edgesPerChunk?: number | undefined;
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
    throw new DeviceMemoryError(error.what, "use fewer frames, a tighter gate, --triplets implicit or --device cpu");
  }
}

async function uploadGraph(
  session: GpuSession,
  graph: Graph,
  { tripletBytes, edgesPerChunk = EDGES_PER_CHUNK, priceLinks = null }: MemoryOptions,
): Promise<GpuMemory> {
  const column = localColumns(graph);
  const halves = halvesOf(graph.frames - 1);
  const [evenPairs, oddPairs] = halves;
  const layout = new Shader(new URL("./layout.wgsl", import.meta.url));
  const laps = await createLaps(session, graph, column, halves);
  const lists = listDetections(graph);
  const chunks = cutIntoChunks(graph, halves.flat(), edgesPerChunk);
  const chunkCount = chunks.records.length;
  const firstOddChunk = chunks.firstOf[evenPairs.length] ?? chunkCount;
  const owned = new OwnedBuffers(session);
  const implicit = graph.triplets.kind === "implicit" ? graph.triplets : null;
  const memory = await session.scoped("instance", (): GpuMemory => {
    const buffers: GpuBuffers = {
      ...graphBuffers(session, owned, layout, graph, column),
      list: owned.upload("lists of detections", lists.listed),
      pairs: owned.upload("pairs", layout.struct("Pair").pack(pairRecords(graph, halves.flat(), chunks))),
      chunks: owned.upload("chunks", layout.struct("Chunk").pack(chunks.records)),
      ...stateBuffers(owned, layout, graph, laps.ascent, chunkCount),
    };
    if (priceLinks !== null) uploadEndCosts(session, graph, buffers.cost);
    else {
      writeStorage(session, buffers.cost, Float32Array.from(graph.cost));
      if (implicit !== null) writeStorage(session, buffers.perEdge, Float32Array.from(implicit.perEdge));
    }
    return {
      ...lists,
      graph,
      laps: laps.ascent,
      layout,
      buffers,
      pairRange: [
        { first: 0, count: evenPairs.length },
        { first: evenPairs.length, count: oddPairs.length },
      ],
      chunkRange: [
        { first: 0, count: firstOddChunk },
        { first: firstOddChunk, count: chunkCount - firstOddChunk },
      ],
      tracks: laps.repair && tracksMemory(owned, graph, laps.repair),
      stored: uploadTriplets(session, graph, owned, tripletBytes),
      destroy() {
        laps.ascent.destroy();
        laps.repair?.destroy();
        owned.destroy();
      },
    };
  });
  const { tail, head, cost, perEdge } = memory.buffers;
  try {
    await priceLinks?.({ edges: graph.edges, tail, head, cost, perEdge: implicit && perEdge });
  } catch (error) {
    memory.destroy();
    throw error;
  }
  return memory;
}

/** The graph; costs are written later. */
function graphBuffers(
  session: GpuSession,
  { keep, upload, empty }: OwnedBuffers,
  layout: Shader,
  graph: Graph,
  column: Uint32Array,
) {
  const { frames, frameStart, links, edges, tail, head, triplets } = graph;
  const { linkStart, linkEnd, deathOf, birthOf } = graph;
  const lastStart = frameStart[frames - 1];
  const sizes = {
    edges,
    hasBirths: edges > links ? 1 : 0,
    firstEnd: frameStart[1],
    lastStart,
    detections: frameStart[frames],
    pairs: frames - 1,
  };
  const detection = (_: number, d: number) => ({
    linkStart: linkStart[d],
    linkEnd: linkEnd[d],
    death: deathOf[d] >>> 0,
    birth: birthOf[d] >>> 0,
  });
  return {
    shape: keep(uploadUniform(session, "shape", layout.struct("Shape").pack([sizes]))),
    detections: upload("edges of detections", layout.struct("Detection").pack(Array.from(deathOf, detection))),
    inStart: upload("inStart", Uint32Array.from(graph.inStart)),
    inEdge: upload("inEdge", Uint32Array.from(triplets.kind === "implicit" ? triplets.inByM : graph.inEdge)),
    tail: upload("tail", Uint32Array.from(tail)),
    head: upload("head", Uint32Array.from(head)),
    column: upload("column", Uint32Array.from(column)),
    cost: empty("C", edges),
    perEdge: empty("m", triplets.kind === "implicit" ? triplets.perEdge.length : 1),
  };
}

/** Records of frame pairs in the order in which their chunks were cut. */
function pairRecords(graph: Graph, order: readonly number[], chunks: Chunks) {
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
  }));
}

/** Costs of births and deaths alone: those of the links are priced on the device. */
function uploadEndCosts(session: GpuSession, { edgeStart, deathStart, cost }: Graph, buffer: GPUBuffer): void {
  deathStart.forEach((first, p) => {
    if (first < edgeStart[p + 1]) {
      writeStorage(session, buffer, Float32Array.from(cost.subarray(first, edgeStart[p + 1])), first);
    }
  });
}

/** What the steps write. */
function stateBuffers(
  { empty }: OwnedBuffers,
  layout: Shader,
  { frames, frameStart, edges }: Graph,
  laps: GpuLapBatch,
  chunkCount: number,
) {
  const [detections, pairs] = [frameStart[frames], frames - 1];
  const records = (label: string, struct: string, count: number) => empty(label, layout.struct(struct).words * count);
  return {
    v: empty("v", edges),
    kept: empty("kept v", edges),
    delta: empty("Δ", edges),
    best: empty("best successors", edges),
    reduced: empty("Ĉ", edges),
    dual: laps.dual,
    limit: laps.limit,
    columnOfRow: laps.columnOfRow,
    outEdge: empty("edges out", detections),
    intoEdge: empty("edges in", detections),
    differing: empty("differing", 1),
    own: empty("X", edges),
    passed: empty("Y", edges),
    constants: empty("A", pairs),
    plane: empty("planes", 2 * GPU_PLANES * detections),
    clocks: records("plane clocks", "Clock", pairs),
    slots: records("plane slots", "Slot", GPU_PLANES * pairs),
    measured: records("measured", "Measured", chunkCount),
  };
}

function tracksMemory({ empty }: OwnedBuffers, { frames, frameStart, edges }: Graph, laps: GpuLapBatch): TracksMemory {
  const detections = frameStart[frames];
  return {
    laps,
    buffers: {
      local: empty("costs between tracks", edges),
      outEdge: empty("tracks out", detections),
      intoEdge: empty("tracks in", detections),
      limit: laps.limit,
      columnOfRow: laps.columnOfRow,
    },
  };
}
