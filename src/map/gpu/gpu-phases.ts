import type { Bound } from "../../gpu/workspace.js";
import type { AscentPart } from "../dual/part.js";
import type { Parity } from "../dual/steps.js";
import type { Range } from "./gpu-lists.js";
import type { GpuMemory } from "./gpu-memory.js";
import type { KernelRuns } from "./kernel-runs.js";

/** Records the phases that the ascent's steps are made of, each over a range of detections, pairs or chunks. */
export class GpuPhases {
  /** Whether the pairs of each parity have duals to start from. */
  readonly #warm = [false, false];
  /** Whether the edges that the last X-LAPs choose are written. */
  #chosen = false;
  readonly #detections: number;
  readonly #hasBirths: boolean;
  /** The detections of inner frames that are counted, those out of which pairs go that are. */
  readonly #inner: { readonly first: number; readonly end: number };

  constructor(
    private readonly memory: GpuMemory,
    private readonly runs: KernelRuns,
    part: Pick<AscentPart, "first" | "end"> = { first: 0, end: memory.graph.frames - 1 },
  ) {
    const { frames, frameStart, links, edges } = memory.graph;
    this.#inner = { first: frameStart[Math.max(1, part.first)], end: frameStart[part.end] };
    this.#detections = frameStart[frames];
    this.#hasBirths = edges > links;
  }

  /** Y-LSAPs of the edges into the listed detections. */
  price(range: Range): void {
    const { memory, runs } = this;
    if (memory.stored === null) {
      runs.overRange("price", range);
      return;
    }
    for (const part of memory.stored.parts) {
      runs.overRange("price-stored", { ...within(memory, range, part), firstTriplet: part.firstTriplet }, part.bound);
    }
  }

  /** v of the edges out of the listed detections to the highest that leaves no triplet negative slack. */
  raise(range: Range, share: number): void {
    const { memory, runs } = this;
    if (memory.stored === null) {
      runs.overRange("raise", { ...range, share });
      return;
    }
    runs.overRange("raise-keys", { ...range, read: 0 });
    for (const part of memory.stored.parts) {
      const run = { ...within(memory, range, part), share, firstTriplet: part.firstTriplet };
      runs.overRange("raise-stored", run, part.bound);
    }
    runs.overRange("raise-keys", { ...range, read: 1 });
  }

  /** X-LAPs of all pairs, or of one parity. */
  assign(parity?: Parity): void {
    const { memory, runs } = this;
    const { laps } = memory;
    if (this.#hasBirths) runs.overElements("limits", this.#detections, null);
    runs.recorder.kernel("xLap", (pass) => laps.encodeCosts(pass, memory.work.buffer("reduced")));
    const solved: readonly Parity[] = parity === undefined ? [0, 1] : [parity];
    const warm = solved.every((one) => this.#warm[one]);
    const subset = parity === undefined ? {} : { subset: parity + 1 };
    runs.recorder.kernel("xLap", (pass) => laps.encodeSolve(pass, { warm, ...subset }));
    for (const one of solved) this.#warm[one] = true;
    this.#chosen = false;
  }

  /** The next X-LAPs start cold. */
  forgetDuals(): void {
    this.#warm.fill(false);
  }

  /** Writes the edges that the last X-LAPs choose. */
  choose(): void {
    if (!this.#chosen) this.chooseFrom();
    this.#chosen = true;
  }

  /** Writes the edges that a batch's matching chooses, of the rows in some consecutive frames and the columns in the frames after them. */
  chooseFrom(first = 0, end = this.memory.graph.frames - 1, bound?: Bound): void {
    const { frameStart } = this.memory.graph;
    const detectionsOf = (from: number, to: number): Range => ({
      first: frameStart[from],
      count: frameStart[to] - frameStart[from],
    });
    const [rows, columns] = [detectionsOf(first, end), detectionsOf(first + 1, end + 1)];
    if (this.#hasBirths) this.runs.overElements("choose-births", columns.count, columns, bound);
    this.runs.overElements("choose", rows.count, rows, bound);
  }

  /** Counts where the subgradient of the last X-LAPs is not 0. */
  countDiffering(): void {
    this.choose();
    this.runs.recorder.clear(this.memory.work.buffer("differing"));
    this.followSubgradient(0);
  }

  /** v += step · g; with a step of 0 it only counts. */
  followSubgradient(step: number): void {
    this.runs.overElements("subgradient", this.#detections, { step, ...this.#inner });
  }

  pushLeft(range: Range, share: number): void {
    this.runs.overRange("push-left", { ...range, share });
  }

  /** Adds the planes of the last assignment; `empty` takes all others out before. */
  storePlanes(range: Range, empty = false): void {
    this.choose();
    const kernel = this.memory.stored === null ? "store-plane" : "store-plane-stored";
    this.runs.overRange(kernel, { ...range, empty: empty ? 1 : 0 });
  }

  /** Moves the pairs of one parity towards the plane just stored, or the least of the kept ones. */
  moveTowards(parity: Parity, tau: number, plane: "stored" | "kept"): void {
    const { runs, memory } = this;
    const chunks = memory.chunkRange[parity];
    if (plane === "kept") runs.overRange("plane-values", memory.blockRange[parity]);
    runs.overRange("measure", { ...chunks, kept: plane === "stored" ? 0 : 1 });
    runs.overRange("move", { ...chunks, tau, begin: 0 });
  }
}

/** The part of a range of heads that lies in frames before the last. */
export function innerHeads({ listed, graph }: GpuMemory, range: Range): Range {
  const lastStart = graph.frameStart[graph.frames - 1];
  let { count } = range;
  while (count > 0 && listed[range.first + count - 1] >= lastStart) count--;
  return { first: range.first, count };
}

/** The part of a range of heads, all of one parity and so increasing, whose detections lie in a part of the triplets. */
function within({ listed }: GpuMemory, range: Range, part: { firstDetection: number; endDetection: number }): Range {
  let first = range.first;
  let end = range.first + range.count;
  while (first < end && listed[first] < part.firstDetection) first++;
  while (end > first && listed[end - 1] >= part.endDetection) end--;
  return { first, count: end - first };
}
