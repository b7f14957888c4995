import { sharedFloat64 } from "../../core/shared-arrays.js";
import { DeviceError } from "../../gpu/device-error.js";
import type { GpuSession } from "../../gpu/session.js";
import { UNASSIGNED } from "../../lap/lap.js";
import type { AscentPart } from "../dual/part.js";
import type { ReadState } from "../dual/steps.js";
import type { Graph } from "../instance/instance.js";
import type { GpuMemory } from "./gpu-memory.js";
import type { KernelRuns } from "./kernel-runs.js";

/** Reads numbers of the device back into a state of the host, and refuses those that may not steer the ascent or reach a certificate. */
export class GpuReader {
  /** Detections at which the subgradient of the last evaluation was not 0. */
  differing = 0;
  #host: ReadState | null = null;
  /** The recorder's commands when the state was read last. */
  #readAt = -1;
  #isWhole = false;

  constructor(
    private readonly session: GpuSession,
    private readonly memory: GpuMemory,
    private readonly runs: KernelRuns,
    private readonly part: Pick<AscentPart, "first" | "end"> = { first: 0, end: memory.graph.frames - 1 },
  ) {}

  /** L(v) of the X-LAPs that were recorded last. */
  async bound(): Promise<number> {
    const { work, laps } = this.memory;
    const [count, ...values] = await this.runs.readBack([work.buffer("differing"), ...laps.outcomes]);
    return this.#boundOf(count, values);
  }

  /** The same, and the bundle's model as the sum over the chunks. */
  async boundAndModel(): Promise<{ readonly bound: number; readonly model: number }> {
    const { runs, memory } = this;
    const { work, laps } = memory;
    const buffers = [work.buffer("differing"), work.buffer("measured"), ...laps.outcomes];
    const [count, measured, ...values] = await runs.readBack(buffers);
    const models = memory.layout.struct("Measured").floats(measured, "model");
    const model = models.reduce((sum, one, chunk) => sum + (this.#counts(memory.pairOfChunk[chunk]) ? one : 0), 0);
    return { bound: this.#boundOf(count, values), model };
  }

  /** As AscentSteps.multipliers. */
  async multipliers(ranges: readonly (readonly [number, number])[]): Promise<Float64Array[]> {
    const { runs, memory } = this;
    const v = memory.work.buffer("v");
    const copies = ranges.map(([first, end], k) => {
      const copy = memory.work.storage(`border ${k}`, end - first);
      runs.recorder.copy(v, copy, 4 * first, 4 * (end - first));
      return copy;
    });
    const parts = await runs.readBack(copies);
    return parts.map((bytes, k) => Float64Array.from(new Float32Array(bytes, 0, ranges[k][1] - ranges[k][0])));
  }

  /** β of the duals in a buffer. */
  async columnDuals(buffer: GPUBuffer): Promise<Float64Array> {
    const [bytes] = await this.runs.readBack([buffer]);
    const { frames, frameStart } = this.memory.graph;
    const columns = new Float64Array(frameStart[frames]);
    const rows = frameStart[frames - 1];
    columns.set(new Float32Array(bytes).subarray(rows, rows + frameStart[frames] - frameStart[1]), frameStart[1]);
    return columns;
  }

  /** To be called where the host has written to the state. */
  forget(): void {
    this.#readAt = -1;
  }

  /** The state as the recorded commands leave it, or v and the duals alone; what was read already is not read again. */
  async state(isWhole: boolean): Promise<ReadState> {
    const { runs, memory } = this;
    const { commands } = runs.recorder;
    if (this.#host !== null && commands === this.#readAt && (this.#isWhole || !isWhole)) return this.#host;
    const host = this.#room(isWhole);
    const { graph, work, laps } = memory;
    const { edges, frames, frameStart } = graph;
    const [secondFrame, lastFrame] = [frameStart[1], frameStart[frames - 1]];
    const byEdge = isWhole ? (["v", "delta", "reduced"] as const) : (["v"] as const);
    const buffers = byEdge.map((name) => work.buffer(name));
    await runs.decoded([laps.dual, ...buffers, ...(isWhole ? [work.buffer("outEdge")] : [])], ([bytes, ...parts]) => {
      // Duals of the rows, which are all detections but those of the last frame, then of the columns, all but those of the first.
      const duals = floats(bytes);
      this.#take("rowDual", host.rowDual, duals, 0, lastFrame);
      this.#take(
        "columnDual",
        host.columnDual,
        duals.subarray(lastFrame),
        secondFrame,
        frameStart[frames] - secondFrame,
      );
      for (const [k, name] of byEdge.entries()) this.#take(name, host[name], floats(parts[k]), 0, edges);
      if (isWhole) host.linkOfRow.set(linksAmong(graph, parts[byEdge.length]));
    });
    this.#readAt = commands;
    this.#isWhole = isWhole;
    return host;
  }

  /** Memory for a reading: that of the last one, unless that was given away as multipliers are, of which a certificate needs no copy then. */
  #room(isWhole: boolean): ReadState {
    const { edges, frames, frameStart } = this.memory.graph;
    if (this.#host !== null && !this.#host.isGiven && isWhole) return this.#host;
    const ofWhole = (length: number) => new Float64Array(isWhole ? length : 0);
    this.#host = {
      ...{ v: sharedFloat64(edges), columnDual: sharedFloat64(frameStart[frames]) },
      ...{ delta: ofWhole(edges), reduced: ofWhole(edges), rowDual: new Float64Array(frameStart[frames]) },
      linkOfRow: new Int32Array(isWhole ? frameStart[frames] : 0),
      isGiven: !isWhole,
    };
    return this.#host;
  }

  /** Takes over numbers from the place `first` of an array of the host on, and refuses those that are not finite. */
  #take(name: string, to: Float64Array, from: Float32Array, first: number, count: number): void {
    for (let k = 0; k < count; k++) {
      const value = from[k];
      if (!Number.isFinite(value)) this.#refuse(`${name}[${first + k}]`, value);
      to[first + k] = value;
    }
  }

  #boundOf(count: ArrayBuffer, values: readonly ArrayBuffer[]): number {
    this.differing = new Uint32Array(count)[0];
    const outcomes = values.flatMap((bytes) => this.memory.laps.outcomesOf(bytes));
    const { order } = this.memory.laps;
    let bound = 0;
    outcomes.forEach(({ status, value }, k) => {
      if (this.#counts(order[k])) bound += status === "optimal" ? value : Number.POSITIVE_INFINITY;
    });
    if (Number.isNaN(bound)) this.#refuse("a bound", bound);
    return bound;
  }

  #counts(pair: number): boolean {
    return pair >= this.part.first && pair < this.part.end;
  }

  #refuse(what: string, value: number): never {
    const { name } = this.session.description;
    throw new DeviceError(`${name} made ${what} ${value}: costs may be too large for f32; use --device cpu`);
  }
}

/** The link out of each detection, UNASSIGNED where the edge that it leaves by is its death, and in the last frame. */
export function linksAmong({ frames, frameStart, head, links, edges }: Graph, outEdges: Uint32Array): Int32Array {
  const lastFrame = frameStart[frames - 1];
  const linkOf = new Int32Array(frameStart[frames]).fill(UNASSIGNED, lastFrame);
  linkOf.set(outEdges.subarray(0, lastFrame));
  // Without deaths every edge is a link.
  for (let d = 0; links < edges && d < lastFrame; d++) if (!(head[linkOf[d]] >= 0)) linkOf[d] = UNASSIGNED;
  return linkOf;
}

/** Words of the device as numbers. */
function floats({ buffer, byteOffset, length }: Uint32Array<ArrayBuffer>): Float32Array {
  return new Float32Array(buffer, byteOffset, length);
}
