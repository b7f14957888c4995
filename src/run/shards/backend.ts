import { InputError, PeerLost } from "../../core/errors.js";
import { WARNING } from "../../formats/row-warnings.js";
import type { DeviceChoice } from "../../gpu/adapter.js";
import type { AscentSteps } from "../../map/dual/steps.js";
import type { Graph } from "../../map/instance/instance.js";
import { createShardedSteps } from "../../map/shards/sharded-steps.js";
import { type Backend, type BackendOptions, needsCpu } from "../device.js";
import { requireCards, type ShardProcess, type ShardSettings, startShard, whyNoCards } from "./start.js";

/** Of processes of this machine, which share its threads. "auto" takes cards where each can have one. */
function settingsHere(requested: DeviceChoice, shards: number, { threads, xLaps = "auto" }: BackendOptions) {
  const device = requested === "auto" ? (whyNoCards(shards) === null ? "gpu" : "cpu") : requested;
  if (device === "gpu") requireCards(shards);
  return { device, threads: Math.max(1, Math.floor(threads / shards)), xLaps };
}

/** Of a process on each of several hosts, which has all threads of its task. "auto" is the CPU. */
export function settingsOnHosts(requested: DeviceChoice, { threads, xLaps = "auto" }: BackendOptions): ShardSettings {
  return { device: requested === "auto" ? "cpu" : requested, threads, xLaps };
}

/**
 * Ascents that several processes share: a number of them on this machine, each with a part of the threads or a card of its own, or those that are given.
 * @throws InputError where GPUs are asked for, and the shards cannot have one each
 */
export class ShardedBackend implements Backend {
  readonly weighsDivisions = false;
  readonly computesTriplets: () => boolean;
  readonly #settings: ShardSettings;
  #processes: readonly ShardProcess[] = [];
  #ran: readonly { readonly actual: string; readonly host: string }[] = [];

  constructor(
    readonly requested: DeviceChoice,
    private readonly shards: number | readonly ShardProcess[],
    private readonly options: BackendOptions,
  ) {
    const isHere = typeof shards === "number";
    this.#settings = isHere ? settingsHere(requested, shards, options) : settingsOnHosts(requested, options);
    if (!isHere) this.#processes = shards;
    this.computesTriplets = () => this.#settings.device !== "cpu";
  }

  get actual(): string {
    const actual = this.#ran.map((one) => one.actual);
    const names = [...new Set(actual)].map((name) => {
      const count = actual.filter((one) => one === name).length;
      return count === 1 ? name : `${count} × ${name}`;
    });
    return names.join(", ");
  }

  get hosts(): string[] | undefined {
    return typeof this.shards === "number" ? undefined : this.#ran.map(({ host }) => host);
  }

  async createSteps(graph: Graph): Promise<AscentSteps> {
    if (needsCpu(graph))
      throw new InputError("unused detections and exclusions: shards know neither; leave --shards out");
    const notes = await this.#begin();
    try {
      const lines = this.#processes.map(({ line }) => line);
      const steps = await createShardedSteps(graph, lines, this.options.now);
      this.#ran = steps.actual.map((actual, k) => ({ actual, host: this.#processes[k].host }));
      return { ...steps, notes };
    } catch (error) {
      if (!(error instanceof PeerLost)) throw error;
      const asked = typeof this.shards === "number" ? this.shards : "hosts";
      throw new InputError(`--shards ${asked}: ${error.message} before the ascent began; leave --shards out`);
    }
  }

  /** Where one was lost, all begin anew, since they may wait for it, but for those of other hosts that are gone for good: notes of these. */
  async #begin(): Promise<string[]> {
    if (typeof this.shards === "number" && this.#processes.length === 0)
      this.#processes = Array.from({ length: this.shards }, (_, k) => startShard(k, this.#settings));
    if (this.#processes.every((one) => one.ended() === null)) return [];
    await Promise.all(this.#processes.map((one) => one.renew()));
    const gone = this.#processes.filter((one) => one.ended() !== null);
    this.#processes = this.#processes.filter((one) => one.ended() === null);
    return gone.map((one) => `${WARNING}a shard was lost (${one.ended()}), and the ascent was made without it.`);
  }

  async requireRoom(): Promise<void> {}

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.end()));
    this.#processes = [];
  }
}
