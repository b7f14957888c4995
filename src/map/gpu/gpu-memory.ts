import { median } from "d3-array";
import { createStorage, splitByBinding, uploadStorage, uploadUniform, writeStorage } from "../../gpu/buffers.js";
import { DeviceMemoryError } from "../../gpu/device-error.js";
import type { GpuSession } from "../../gpu/session.js";
import { Shader } from "../../gpu/wgsl/shader.js";
import { GpuLapBatch } from "../../lap/block-hungarian/gpu-batch.js";
import type { AscentState } from "../dual/state.js";
import { type Graph, pairRuns } from "../instance/instance.js";
import { cutIntoChunks, EDGES_PER_CHUNK } from "./gpu-chunks.js";

/** Planes the bundle keeps for each frame pair. */
export const GPU_PLANES = 10;

/** How many links are sampled to estimate the size of all costs. */
const SAMPLE = 1000;
/** Multipliers of the edges out of a detection that fit workgroup memory everywhere. */
const MOST_TILE = 3000;

/** A range of a list of detections or pairs on the device. */
export interface Range {
  readonly first: number;
  readonly count: number;
}

/** A piece of the stored triplets below the binding limit: rows of the edges into some detections. */
export interface TripletPart {
  readonly firstTriplet: number;
  readonly buffers: Readonly<Record<"successor" | "tripletCost", GPUBuffer>>;
  /** Detections whose entering edges' rows lie in this part. */
  readonly firstDetection: number;
  readonly endDetection: number;
}

/** A second batch for the repair of tracks: the costs of its links, its limits and matching, and the edges of its tracks. */
export interface TracksMemory {
  readonly laps: GpuLapBatch;
  readonly buffers: Readonly<Record<"local" | "outEdge" | "intoEdge" | "limit" | "columnOfRow", GPUBuffer>>;
}

export interface StoredMemory {
  readonly buffers: Readonly<Record<"start" | "key", GPUBuffer>>;
  readonly parts: readonly TripletPart[];
  /** Most edges out of a detection where every row holds all of them, and successors are not uploaded; else 0. */
  readonly completeWidth: number;
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
  readonly outStart: GPUBuffer;
  readonly inStart: GPUBuffer;
  readonly inLink: GPUBuffer;
  readonly tail: GPUBuffer;
  readonly head: GPUBuffer;
  readonly column: GPUBuffer;
  readonly cost: GPUBuffer;
  /** m for implicit triplets, one number else. */
  readonly perLink: GPUBuffer;
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
export interface GpuMemory {
  readonly graph: Graph;
  readonly laps: GpuLapBatch;
  /** layout.wgsl, for its records. */
  readonly layout: Shader;
  readonly buffers: GpuBuffers;
  /** Ranges of `list`. */
  readonly heads: readonly [Range, Range];
  readonly tails: readonly [Range, Range];
  /** Tails with those of the first frame. */
  readonly pairTails: readonly [Range, Range];
  readonly listed: Uint32Array;
  readonly pairRange: readonly [Range, Range];
  readonly chunkRange: readonly [Range, Range];
  /** null for stored triplets. */
  readonly tracks: TracksMemory | null;
  /** null for implicit triplets. */
  readonly stored: StoredMemory | null;
  destroy(): void;
}

/** The links on the device: their ends, and where their prices belong. */
export interface LinkBuffers {
  readonly links: number;
  readonly tail: GPUBuffer;
  readonly head: GPUBuffer;
  /** C. */
  readonly cost: GPUBuffer;
  /** m, or null for stored triplets. */
  readonly perLink: GPUBuffer | null;
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
  state: AscentState,
  options: MemoryOptions = {},
): Promise<GpuMemory> {
  try {
    return await uploadGraph(session, graph, state, options);
  } catch (error) {
    if (!(error instanceof DeviceMemoryError)) throw error;
    throw new DeviceMemoryError(error.what, "use fewer frames, a tighter gate, --triplets implicit or --device cpu");
  }
}

async function uploadGraph(
  session: GpuSession,
  graph: Graph,
  state: AscentState,
  { tripletBytes, edgesPerChunk = EDGES_PER_CHUNK, priceLinks = null }: MemoryOptions,
): Promise<GpuMemory> {
  const { frames, frameStart, outStart, links, edges } = graph;
  const pairs = frames - 1;
  const detections = frameStart[frames];
  const lastStart = frameStart[frames - 1];
  const hasBirths = edges > links;
  const owned: GPUBuffer[] = [];
  const keep = (buffer: GPUBuffer): GPUBuffer => {
    owned.push(buffer);
    return buffer;
  };
  const upload = (label: string, data: Uint32Array | Float32Array): GPUBuffer =>
    keep(uploadStorage(session, label, data));
  const empty = (label: string, length: number): GPUBuffer => keep(createStorage(session, label, length));

  const parities = [0, 1].map((parity) => Array.from({ length: pairs }, (_, p) => p).filter((p) => p % 2 === parity));
  const frame = (p: number): number[] =>
    Array.from({ length: frameStart[p + 1] - frameStart[p] }, (_, k) => frameStart[p] + k);
  const runsOf = [
    ...parities.map((half) => half.flatMap((p) => frame(p + 1))),
    ...parities.map((half) => half.filter((p) => p > 0).flatMap(frame)),
    ...parities.map((half) => half.flatMap(frame)),
  ];
  const ranges: Range[] = [];
  let first = 0;
  for (const run of runsOf) {
    ranges.push({ first, count: run.length });
    first += run.length;
  }
  const listed = Uint32Array.from(runsOf.flat());

  const births = links + lastStart - frameStart[1];
  const layout = new Shader(new URL("./layout.wgsl", import.meta.url));
  const sizes = {
    links,
    edges,
    births,
    hasBirths: hasBirths ? 1 : 0,
    firstEnd: frameStart[1],
    lastStart,
    detections,
    pairs,
  };
  const shape = keep(uploadUniform(session, "shape", layout.struct("Shape").pack([sizes])));

  const batchShape = {
    rows: Uint32Array.from({ length: pairs }, (_, p) => frameStart[p + 1] - frameStart[p]),
    columns: Uint32Array.from({ length: pairs }, (_, p) => frameStart[p + 2] - frameStart[p + 1]),
    rowLimit: new Float32Array(lastStart).fill(Number.POSITIVE_INFINITY),
    columnLimit: new Float32Array(detections - frameStart[1]).fill(Number.POSITIVE_INFINITY),
    entries: { rowStart: outStart.slice(0, lastStart + 1), column: Uint32Array.from(state.column) },
  };
  const laps = await GpuLapBatch.create(session, { ...batchShape, slack: reducedRounding(graph) }, {}, parities);
  // The cost of a birth does not change while tracks are repaired; the kernel still writes the limits of deaths.
  const birthCosts = Float32Array.from(graph.cost.subarray(births));
  const repairShape = hasBirths ? { ...batchShape, columnLimit: birthCosts.subarray(frameStart[1]) } : batchShape;
  const repairs =
    graph.triplets.kind === "implicit" ? await GpuLapBatch.create(session, repairShape, {}, parities) : null;

  const chunks = cutIntoChunks(graph, parities.flat(), edgesPerChunk);
  const chunkCount = chunks.records.length;
  const firstOddChunk = chunks.firstOf[parities[0].length] ?? chunkCount;
  const pairRecords = parities.flat().map((p, k) => {
    const { linkStart, linkEnd } = pairRuns(graph, p);
    return {
      linkStart,
      linkEnd,
      nextEnd: outStart[frameStart[p + 2]],
      rowStart: frameStart[p],
      columnStart: frameStart[p + 1],
      columnEnd: frameStart[p + 2],
      index: p,
      firstChunk: chunks.firstOf[k],
    };
  });

  const { inStart, inLink } = linksInto(graph);
  const implicit = graph.triplets.kind === "implicit" ? graph.triplets : null;
  const pricedFrom = priceLinks === null ? 0 : links;
  const memory = await session.scoped("instance", () => {
    const records = (label: string, struct: string, count: number) => empty(label, layout.struct(struct).words * count);
    const buffers: GpuBuffers = {
      shape,
      list: upload("lists of detections", listed),
      pairs: upload("pairs", layout.struct("Pair").pack(pairRecords)),
      chunks: upload("chunks", layout.struct("Chunk").pack(chunks.records)),
      outStart: upload("outStart", Uint32Array.from(outStart)),
      inStart: upload("inStart", inStart),
      inLink: upload("inLink", inLink),
      tail: upload("tail", Uint32Array.from(graph.tail.subarray(0, links))),
      head: upload("head", Uint32Array.from(graph.head.subarray(0, links))),
      column: upload("column", Uint32Array.from(state.column)),
      cost: empty("C", edges),
      perLink: empty("m", implicit === null ? 1 : implicit.perLink.length),
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
    const memory = {
      graph,
      laps,
      layout,
      buffers,
      heads: [ranges[0], ranges[1]] as const,
      tails: [ranges[2], ranges[3]] as const,
      pairTails: [ranges[4], ranges[5]] as const,
      listed,
      pairRange: [
        { first: 0, count: parities[0].length },
        { first: parities[0].length, count: parities[1].length },
      ] as const,
      chunkRange: [
        { first: 0, count: firstOddChunk },
        { first: firstOddChunk, count: chunkCount - firstOddChunk },
      ] as const,
      tracks: repairs && {
        laps: repairs,
        buffers: {
          local: empty("costs between tracks", links),
          outEdge: empty("tracks out", detections),
          intoEdge: empty("tracks in", detections),
          limit: repairs.limit,
          columnOfRow: repairs.columnOfRow,
        },
      },
      stored: storedTriplets(session, graph, upload, empty, tripletBytes),
    };
    writeStorage(session, buffers.cost, Float32Array.from(graph.cost.subarray(pricedFrom)), pricedFrom);
    if (priceLinks === null && implicit !== null) {
      writeStorage(session, buffers.perLink, Float32Array.from(implicit.perLink));
    }
    return {
      ...memory,
      destroy() {
        laps.destroy();
        repairs?.destroy();
        for (const buffer of owned) buffer.destroy();
      },
    };
  });
  const { tail, head, cost, perLink } = memory.buffers;
  try {
    await priceLinks?.({ links, tail, head, cost, perLink: implicit && perLink });
  } catch (error) {
    memory.destroy();
    throw error;
  }
  return memory;
}

/**
 * How far Ĉ = C + v + Δ is rounded in f32, about: 2^-19, some units in the last place, of the median |C|. Where an ascent has pushed
 * the reduced costs away, Ĉ differs from α + β by no more than this, and its X-LAPs would search among rounding errors. It is not taken from the
 * largest C, which may stand for something forbidden.
 */
export function reducedRounding({ cost, links }: Graph): number {
  const length = Math.min(links, SAMPLE);
  const sizes = Array.from({ length }, (_, k) => Math.abs(cost[Math.floor((k * links) / length)]));
  return 2 ** -19 * (median(sizes) ?? 0);
}

/** Links into each detection, in order. */
function linksInto({ triplets, head, links, frames, frameStart }: Graph): {
  inStart: Uint32Array;
  inLink: Uint32Array;
} {
  if (triplets.kind === "implicit") {
    return { inStart: Uint32Array.from(triplets.inStart), inLink: Uint32Array.from(triplets.inLink) };
  }
  const inStart = new Uint32Array(frameStart[frames] + 1);
  for (let e = 0; e < links; e++) inStart[head[e] + 1]++;
  for (let d = 0; d + 1 < inStart.length; d++) inStart[d + 1] += inStart[d];
  const inLink = new Uint32Array(links);
  const next = inStart.slice();
  for (let e = 0; e < links; e++) inLink[next[head[e]]++] = e;
  return { inStart, inLink };
}

/**
 * Stored triplets in pieces below the binding limit, cut between frame pairs, since the rows of a pair's links are consecutive. The
 * rows of births are left out: a birth is followed by every edge out of its detection at no cost, which the kernels know.
 */
function storedTriplets(
  session: GpuSession,
  graph: Graph,
  upload: (label: string, data: Uint32Array | Float32Array) => GPUBuffer,
  empty: (label: string, length: number) => GPUBuffer,
  tripletBytes?: number,
): GpuMemory["stored"] {
  const { triplets, frames, frameStart, outStart, links, edges } = graph;
  if (triplets.kind === "implicit") return null;
  const { start, successor, cost } = triplets;
  const width = completeWidth(graph);
  const pairStart = (p: number): number => start[outStart[frameStart[p]]];
  const sizes = Array.from({ length: frames - 1 }, (_, p) => pairStart(p + 1) - pairStart(p));
  const cuts = splitByBinding(session, "the triplets of frame pair", sizes, tripletBytes);
  const parts = cuts.slice(0, -1).map((from, k) => {
    const to = cuts[k + 1];
    const [begin, end] = [pairStart(from), pairStart(to)];
    return {
      firstTriplet: begin,
      buffers: {
        successor: upload(`successors ${k}`, new Uint32Array(width > 0 ? [0] : successor.subarray(begin, end))),
        tripletCost: upload(`D ${k}`, new Float32Array(cost.subarray(begin, end))),
      },
      firstDetection: frameStart[from + 1],
      endDetection: frameStart[to + 1],
    };
  });
  return {
    buffers: {
      start: upload("triplet rows", new Uint32Array(start.subarray(0, links + 1))),
      key: empty("keys", edges),
    },
    parts,
    completeWidth: width,
  };
}

/**
 * The most edges out of a detection where every row of the stored triplets holds all of them, and they fit workgroup memory
 * everywhere; else 0.
 */
function completeWidth({ triplets, frames, frameStart, outStart, links, edges, head }: Graph): number {
  if (triplets.kind === "implicit") return 0;
  const hasBirths = edges > links ? 1 : 0;
  const leaving = (d: number): number => outStart[d + 1] - outStart[d] + hasBirths;
  let widest = 0;
  for (let d = 0; d < frameStart[frames - 1]; d++) widest = Math.max(widest, leaving(d));
  if (widest > MOST_TILE) return 0;
  for (let e = 0; e < links; e++) {
    const j = head[e];
    if (j < frameStart[frames - 1] && triplets.start[e + 1] - triplets.start[e] !== leaving(j)) return 0;
  }
  return widest;
}
