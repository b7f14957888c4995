import { invariant } from "../../core/errors.js";
import type { AscentPart } from "../dual/part.js";
import type { AscentSteps } from "../dual/steps.js";
import type { Graph } from "../instance/instance.js";
import type { FromShard, Line, Opened, Packed, ShardShape, ShardState, ShardStep, Side, ToShard } from "./line.js";

/** Makes the steps of a stretch on the device of this process. */
export type OpenSteps = (graph: Graph, part: AscentPart) => Promise<{ steps: AscentSteps; actual: string }>;

/** Steps after which the multipliers of the pairs at the borders are others; those that move them in two halves say so themselves. */
const MOVING: ReadonlySet<ShardStep> = new Set(["visit", "pushReducedCosts", "follow", "stand"]);

/** Serves the shard of a process until its line ends, which `lost` is told. */
export function serveShard(line: Line<FromShard, ToShard>, open: OpenSteps, lost: () => void): void {
  const borders = { left: new Inbox(), right: new Inbox() };
  let shard: Shard | null = null;

  const answer = async (message: Exclude<ToShard, { kind: "border" }>): Promise<unknown> => {
    if (message.kind === "step") {
      invariant(shard !== null, () => `the shard is asked to ${message.step} and is not open`);
      return await shard.run(message.step, message.values);
    }
    const { graph, shape } = message;
    const part = { first: shape.first, end: shape.end, halved: async () => await shard?.exchange() };
    const { steps, actual } = await open(graph, part);
    shard = new Shard(graph, shape, steps, line, borders);
    return { precision: steps.precision, boundEvery: steps.boundEvery, actual } satisfies Opened;
  };

  line.listen(async (message) => {
    if (message.kind === "border") {
      borders[message.side].put(message.v);
      return;
    }
    try {
      line.send({ kind: "answer", value: await answer(message) });
    } catch (error) {
      const { name, message } = error as Error;
      line.send({ kind: "failure", name, message });
    }
  }, lost);
}

class Shard {
  constructor(
    private readonly graph: Graph,
    private readonly shape: ShardShape,
    private readonly steps: AscentSteps,
    private readonly line: Line<FromShard, ToShard>,
    private readonly borders: Record<Side, Inbox>,
  ) {}

  async run(step: ShardStep, values: readonly (number | Float64Array)[]): Promise<unknown> {
    const made = (this.steps[step] as (...values: readonly unknown[]) => Promise<unknown>)(...values);
    const result = await made;
    if (MOVING.has(step)) await this.exchange();
    return step === "read" ? this.#own(result as Awaited<ReturnType<AscentSteps["read"]>>) : result;
  }

  /** Gives the multipliers of its first and last pair to the neighbours, and has those of the pairs beyond from them. */
  async exchange(): Promise<void> {
    const { shape, steps, line, borders } = this;
    const { first, end, sides } = shape;
    const given = await steps.multipliers(sides.map((side) => this.#edgesOf(side === "left" ? first : end - 1)));
    sides.forEach((side, k) => {
      line.send({ kind: "border", side, v: this.#packed(given[k]) });
    });
    for (const side of sides) {
      const [from] = this.#edgesOf(side === "left" ? first - 1 : end);
      await steps.setMultipliers(Float64Array.from(await borders[side].next()), from);
    }
  }

  /** The edges of a pair that have multipliers. */
  #edgesOf(pair: number): [number, number] {
    return [this.graph.edgeStart[pair], this.graph.birthStart[pair]];
  }

  /** The state of its own pairs: edges, rows and columns. */
  #own({ v, delta, reduced, rowDual, columnDual, linkOfRow }: Awaited<ReturnType<AscentSteps["read"]>>): ShardState {
    const { edgeStart, frameStart } = this.graph;
    const { first, end } = this.shape;
    const edges = [edgeStart[first], edgeStart[end]] as const;
    const rows = [frameStart[first], frameStart[end]] as const;
    return {
      v: this.#packed(v.subarray(...edges)),
      delta: this.#packed(delta.subarray(...edges)),
      reduced: this.#packed(reduced.subarray(...edges)),
      rowDual: this.#packed(rowDual.subarray(...rows)),
      columnDual: this.#packed(columnDual.subarray(frameStart[first + 1], frameStart[end + 1])),
      linkOfRow: linkOfRow.slice(...rows),
    };
  }

  /** A copy for a message, no longer than the numbers are exact. */
  #packed(numbers: Float64Array): Packed {
    return this.steps.precision === "f32" ? Float32Array.from(numbers) : numbers.slice();
  }
}

/** Messages in order, for one who waits for the next. */
class Inbox {
  readonly #kept: Packed[] = [];
  #waiting: ((v: Packed) => void) | null = null;

  put(v: Packed): void {
    if (this.#waiting === null) this.#kept.push(v);
    else this.#waiting(v);
    this.#waiting = null;
  }

  async next(): Promise<Packed> {
    const kept = this.#kept.shift();
    if (kept !== undefined) return kept;
    return await new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }
}
