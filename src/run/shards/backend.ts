import { InputError, PeerLost } from "../../core/errors.js";
import type { DeviceChoice } from "../../gpu/adapter.js";
import type { AscentSteps } from "../../map/dual/steps.js";
import type { Graph } from "../../map/instance/instance.js";
import { createShardedSteps } from "../../map/shards/sharded-steps.js";
import { type Backend, type BackendOptions, needsCpu } from "../device.js";
import { requireCards, type ShardProcess, type ShardSettings, startShard, whyNoCards } from "./start.js";

/**
 * Ascents that several processes of this machine share, each with a part of the threads, or with a card of its own. "auto" takes cards where each shard can have one.
 * @throws InputError where GPUs are asked for, and the shards cannot have one each
 */
export class ShardedBackend implements Backend {
  readonly weighsDivisions = false;
  readonly computesTriplets: () => boolean;
  readonly #settings: ShardSettings;
  #processes: ShardProcess[] = [];
  #actual: readonly string[] = [];

  constructor(
    readonly requested: DeviceChoice,
    private readonly shards: number,
    private readonly options: BackendOptions,
  ) {
    const device = requested === "auto" ? (whyNoCards(shards) === null ? "gpu" : "cpu") : requested;
    if (device === "gpu") requireCards(shards);
    const threads = Math.max(1, Math.floor(options.threads / shards));
    this.#settings = { device, threads, xLaps: options.xLaps ?? "auto" };
    this.computesTriplets = () => device !== "cpu";
  }

  get actual(): string {
    const names = [...new Set(this.#actual)].map((name) => {
      const count = this.#actual.filter((one) => one === name).length;
      return count === 1 ? name : `${count} × ${name}`;
    });
    return names.join(", ");
  }

  async createSteps(graph: Graph): Promise<AscentSteps> {
    if (needsCpu(graph))
      throw new InputError("unused detections and exclusions: shards know neither; leave --shards out");
    // Those that were lost are started again, and the others with them, which may wait for them.
    if (!this.#processes.every((one) => one.isAlive())) await this.close();
    if (this.#processes.length === 0)
      this.#processes = Array.from({ length: this.shards }, (_, k) => startShard(k, this.#settings));
    try {
      const lines = this.#processes.map(({ line }) => line);
      const steps = await createShardedSteps(graph, lines, this.options.now);
      this.#actual = steps.actual;
      return steps;
    } catch (error) {
      if (!(error instanceof PeerLost)) throw error;
      throw new InputError(`--shards ${this.shards}: ${error.message} before the ascent began; leave --shards out`);
    }
  }

  async requireRoom(): Promise<void> {}

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.end()));
    this.#processes = [];
  }
}
