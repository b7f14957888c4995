import { largestFrame } from "../dual/kernels.js";
import type { Graph } from "../instance/instance.js";
import type { LocalCosts } from "./local-costs.js";

/** The costs of frame pairs with both neighbours fixed, made anew only where the edges before or after have become others since. */
export class KeptCosts {
  /** Rows of the pair renewed last with another cost: 1 of all edges, 2 of some. */
  readonly touched: Uint8Array;
  readonly #isKnown: Uint8Array;
  /** The edge into each detection as a row, and out of it as a column, with which the costs were made. */
  readonly #before: Int32Array;
  readonly #after: Int32Array;

  /** @param into the edge into each detection, which the caller changes */
  constructor(
    private readonly graph: Graph,
    private readonly costs: LocalCosts,
    private readonly into: Int32Array,
  ) {
    this.touched = new Uint8Array(largestFrame(graph));
    this.#isKnown = new Uint8Array(graph.frames - 1);
    this.#before = new Int32Array(into.length);
    this.#after = new Int32Array(into.length);
  }

  renew(tracks: Int32Array, pair: number): void {
    const { graph, costs, into, touched } = this;
    const { frameStart, tail, inStart, inEdge } = graph;
    const [rows, columns, end] = [frameStart[pair], frameStart[pair + 1], frameStart[pair + 2]];
    const isKnown = this.#isKnown[pair] === 1;
    for (let i = rows; i < columns; i++) {
      const stays = isKnown && this.#before[i] === into[i];
      touched[i - rows] = stays ? 0 : 1;
      if (!stays) costs.ofRow(i, pair, into, tracks);
    }
    for (let j = columns; j < end; j++) {
      if (isKnown && this.#after[j] === tracks[j]) continue;
      for (let k = inStart[j]; k < inStart[j + 1]; k++) {
        // Negative for a birth.
        const i = tail[inEdge[k]] - rows;
        if (touched[i] === 1) continue;
        if (i >= 0) touched[i] = 2;
        costs.ofEntering(inEdge[k], pair, into, tracks);
      }
    }
    this.#before.set(into.subarray(rows, columns), rows);
    this.#after.set(tracks.subarray(columns, end), columns);
    this.#isKnown[pair] = 1;
  }

  /** The costs of a pair are other ones. */
  forget(pair: number): void {
    this.#isKnown[pair] = 0;
  }
}
