import { InputError, PeerLost } from "../../core/errors.js";
import { DeviceError } from "../../gpu/device-error.js";
import { UNASSIGNED } from "../../lap/lap.js";
import type { AscentSteps, ReadState, StepTimes } from "../dual/steps.js";
import type { Graph } from "../instance/instance.js";
import { stretchOf } from "../window/stretch.js";
import type { FromShard, Line, Opened, Packed, ShardState, ShardStep, Side, ToShard } from "./line.js";
import { planShards, type ShardPlan } from "./plan.js";

/** An ascent whose frame pairs several processes share, each with a device of its own. */
export interface ShardedSteps extends AscentSteps {
  /** Where the shards run, in order. */
  readonly actual: readonly string[];
}

/**
 * The steps of an ascent over the shards at the other ends of these lines, of which a short problem needs only the first. A step is made by all at once; after each half that moves
 * multipliers, neighbours exchange those of the pairs at their border, and bounds are summed. So the bound of the same multipliers is that of one process but for the order of the sum. Where X-LAPs tie, that may decide how the ascent goes on.
 *
 * Where a shard is lost, the step throws PeerLost, as all later ones do, and `read` has the state that was read last, which can be certified as any can.
 */
export async function createShardedSteps(
  graph: Graph,
  lines: readonly Line<ToShard, FromShard>[],
  now: () => number,
): Promise<ShardedSteps> {
  const plans = planShards(graph, lines.length);
  const shards = plans.map((plan, k) => new RemoteShard(plan, lines[k], `shard ${k + 1} of ${plans.length}`));
  shards.forEach((shard, k) => {
    shard.relay = (side, v) => shards[side === "left" ? k - 1 : k + 1].border(side === "left" ? "right" : "left", v);
  });
  const opened = (await Promise.all(shards.map((shard) => shard.open(graph, shards.length)))) as Opened[];
  const times: StepTimes = { xLap: 0, yLsap: 0, distribution: 0, update: 0, tracks: 0, readback: 0 };
  const state = emptyState(graph);
  let lost: PeerLost | null = null;

  const all = async <Result>(step: ShardStep, ...values: number[]): Promise<Result[]> => {
    if (lost !== null) throw lost;
    const from = now();
    try {
      return (await Promise.all(shards.map((shard) => shard.step(step, values)))) as Result[];
    } catch (error) {
      if (error instanceof PeerLost) lost = error;
      throw error;
    } finally {
      times.readback += now() - from;
    }
  };
  const done = async (step: ShardStep, ...values: number[]): Promise<void> => {
    await all(step, ...values);
  };
  const sum = async (step: ShardStep): Promise<number> => total(await all<number>(step));
  const read = async (): Promise<ReadState> => {
    try {
      const parts = await all<ShardState>("read");
      parts.forEach((part, k) => {
        place(state, graph, plans[k], part);
      });
    } catch (error) {
      if (!(error instanceof PeerLost)) throw error;
    }
    return state;
  };
  return {
    actual: opened.map(({ actual }) => actual),
    precision: opened[0].precision,
    boundEvery: opened[0].boundEvery,
    times,
    price: () => done("price"),
    assign: () => done("assign"),
    evaluate: () => sum("evaluate"),
    pushReducedCosts: (share) => done("pushReducedCosts", share),
    visit: (parity) => done("visit", parity),
    subgradient: () => sum("subgradient"),
    follow: (step) => done("follow", step),
    reset: () => done("reset"),
    async setMultipliers(v, first = 0) {
      await Promise.all(shards.map((shard) => shard.setMultipliers(graph, v, first)));
    },
    async multipliers(ranges) {
      const { v } = await read();
      return ranges.map(([first, end]) => v.slice(first, end));
    },
    keep: () => done("keep"),
    // What is certified after a loss is what was read last.
    restore: async () => (lost === null ? await done("restore") : undefined),
    beginBundle: () => done("beginBundle"),
    collectPlanes: () => done("collectPlanes"),
    refine: (tau) => done("refine", tau),
    refineKept: (tau) => done("refineKept", tau),
    async evaluateBundle() {
      const parts = await all<{ bound: number; model: number }>("evaluateBundle");
      return { bound: total(parts.map(({ bound }) => bound)), model: total(parts.map(({ model }) => model)) };
    },
    stand: (tau) => done("stand", tau),
    finished: () => done("finished"),
    read,
    async close() {
      await Promise.all(shards.map((shard) => shard.step("close", []).catch(() => undefined)));
    },
  };
}

const total = (parts: readonly number[]): number => parts.reduce((sum, part) => sum + part, 0);

function emptyState({ edges, frames, frameStart }: Graph): ReadState {
  const [byEdge, byDetection] = [() => new Float64Array(edges), () => new Float64Array(frameStart[frames])];
  return {
    ...{ v: byEdge(), delta: byEdge(), reduced: byEdge() },
    ...{ rowDual: byDetection(), columnDual: byDetection() },
    linkOfRow: new Int32Array(frameStart[frames]).fill(UNASSIGNED),
  };
}

/** Puts the state of a shard's own pairs in its place. */
function place(state: ReadState, graph: Graph, { first, from }: ShardPlan, part: ShardState): void {
  const { edgeStart, frameStart } = graph;
  for (const name of ["v", "delta", "reduced"] as const) state[name].set(part[name], edgeStart[first]);
  state.rowDual.set(part.rowDual, frameStart[first]);
  state.columnDual.set(part.columnDual, frameStart[first + 1]);
  const row = frameStart[first];
  part.linkOfRow.forEach((link, k) => {
    state.linkOfRow[row + k] = link === UNASSIGNED ? link : link + edgeStart[from];
  });
}

/** The error of a shard as one of this process. A device that was lost takes its shard with it. */
function failureOf(name: string, message: string): Error {
  if (name === "DeviceLostError") return new PeerLost(message);
  if (/^Device/.test(name)) return new DeviceError(message);
  return name === "InputError" ? new InputError(message) : new Error(message);
}

/** A shard at the other end of a line: it has one request at a time. */
class RemoteShard {
  relay: (side: Side, v: Packed) => void = () => {};
  #answered: { resolve: (value: unknown) => void; reject: (error: Error) => void } | null = null;
  #lost: PeerLost | null = null;

  constructor(
    private readonly plan: ShardPlan,
    private readonly line: Line<ToShard, FromShard>,
    name: string,
  ) {
    line.listen(
      (message) => {
        if (message.kind === "border") this.relay(message.side, message.v);
        else if (message.kind === "answer") this.#answered?.resolve(message.value);
        else this.#answered?.reject(failureOf(message.name, `${name}: ${message.message}`));
      },
      (why) => {
        this.#lost = new PeerLost(`${name} was lost (${why})`);
        this.#answered?.reject(this.#lost);
      },
    );
  }

  open(graph: Graph, shards: number): Promise<unknown> {
    const { first, end, from, to } = this.plan;
    const sides: Side[] = [];
    if (first > 0) sides.push("left");
    if (end < graph.frames - 1) sides.push("right");
    // Its ascent leaves the rows of divisions to the certificate, which knows all frames.
    const stretch = { ...(shards === 1 ? graph : stretchOf(graph, from, to)), motherOf: null };
    return this.#ask({ kind: "open", graph: stretch, shape: { first: first - from, end: end - from, sides } });
  }

  step(step: ShardStep, values: readonly (number | Float64Array)[]): Promise<unknown> {
    return this.#ask({ kind: "step", step, values });
  }

  /** Sets those of its stretch. */
  async setMultipliers({ edgeStart }: Graph, v: Float64Array, first: number): Promise<void> {
    const [begin, end] = [edgeStart[this.plan.from], edgeStart[this.plan.to]];
    const [low, high] = [Math.max(first, begin), Math.min(first + v.length, end)];
    if (low < high) await this.step("setMultipliers", [v.slice(low - first, high - first), low - begin]);
  }

  border(side: Side, v: Packed): void {
    this.line.send({ kind: "border", side, v });
  }

  async #ask(message: ToShard): Promise<unknown> {
    if (this.#lost !== null) throw this.#lost;
    return await new Promise((resolve, reject) => {
      this.#answered = { resolve, reject };
      this.line.send(message);
    });
  }
}
