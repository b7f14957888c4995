import { largestFrame } from "../dual/kernels.js";
import type { Graph } from "../instance/instance.js";
import type { LocalCosts, Neighbours } from "./local-costs.js";

/** The costs of frame pairs with both neighbours fixed, made anew only where the edges before or after, or what is closed, have become others since. */
export class KeptCosts {
  /** Rows of the pair renewed last with another cost: 1 of all edges, 2 of some. */
  readonly touched: Uint8Array;
  readonly #isKnown: Uint8Array;
  /** The edge into each detection as a row, and out of it as a column, with which the costs were made: doubled, and 1 more where it was closed. */
  readonly #before: Int32Array;
  readonly #after: Int32Array;

  constructor(
    private readonly graph: Graph,
    private readonly costs: LocalCosts,
  ) {
    const detections = graph.frameStart[graph.frames];
    this.touched = new Uint8Array(largestFrame(graph));
    this.#isKnown = new Uint8Array(graph.frames - 1);
    this.#before = new Int32Array(detections);
    this.#after = new Int32Array(detections);
  }

  renew(pair: number, neighbours: Neighbours): void {
    const { graph, costs, touched } = this;
    const { frameStart, tail, inStart, inEdge } = graph;
    const { into, tracks, closed } = neighbours;
    const [rows, columns, end] = [frameStart[pair], frameStart[pair + 1], frameStart[pair + 2]];
    const isKnown = this.#isKnown[pair] === 1;
    for (let i = rows; i < columns; i++) {
      const before = 2 * into[i] + (closed === null ? 0 : closed[i]);
      const stays = isKnown && this.#before[i] === before;
      touched[i - rows] = stays ? 0 : 1;
      this.#before[i] = before;
      if (!stays) costs.ofRow(i, pair, neighbours);
    }
    for (let j = columns; j < end; j++) {
      const after = 2 * tracks[j] + (closed === null ? 0 : closed[j]);
      if (isKnown && this.#after[j] === after) continue;
      this.#after[j] = after;
      for (let k = inStart[j]; k < inStart[j + 1]; k++) {
        // Negative for a birth.
        const i = tail[inEdge[k]] - rows;
        if (touched[i] === 1) continue;
        if (i >= 0) touched[i] = 2;
        costs.ofEntering(inEdge[k], pair, neighbours);
      }
    }
    this.#isKnown[pair] = 1;
  }

  /** The costs of a pair are other ones. */
  forget(pair: number): void {
    this.#isKnown[pair] = 0;
  }
}
