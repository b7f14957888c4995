/** One device for everything a run does on the GPU: kernels and timestamps share it, and close() ends it. */
import type { DeviceDescription, FoundAdapter } from "./adapter.js";
import { DeviceError, DeviceLostError, DeviceMemoryError } from "./device-error.js";

/** Who wants to know when passes begin and end. */
export interface PassWatcher {
  /** Whether each dispatch is to have a pass of its own. */
  readonly apart: boolean;
  begin(label: string): GPUComputePassTimestampWrites | undefined;
}

export class GpuSession {
  /** Times the passes of all workspaces and recorders while it is set (PassLog, timer.ts). */
  watcher: PassWatcher | null = null;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();
  readonly #staging = new Map<number, GPUBuffer[]>();
  #loss: GPUDeviceLostInfo | null = null;
  #uncaptured: string | null = null;

  constructor(
    private readonly found: FoundAdapter,
    readonly device: GPUDevice,
  ) {
    device.lost.then((info) => {
      this.#loss = info;
    });
    device.onuncapturederror = (event) => {
      this.#uncaptured ??= event.error.message;
    };
  }

  get description(): DeviceDescription {
    return this.found.description;
  }

  /** Threads per subgroup when kernels can rely on it, else 0: no subgroups, or a size the driver may choose freely. */
  get subgroupSize(): number {
    const [least, most] = this.description.subgroup;
    return this.device.features.has("subgroups") && least === most ? least : 0;
  }

  get hasTimestamps(): boolean {
    return this.device.features.has("timestamp-query");
  }

  /** The most workgroups along one axis of a dispatch. */
  get mostGroups(): number {
    return this.device.limits.maxComputeWorkgroupsPerDimension;
  }

  /** The pipeline of a key, built at most once per device; `label` names it in messages. */
  pipeline(key: string, label: string, build: () => Promise<GPUComputePipeline>): Promise<GPUComputePipeline> {
    let pipeline = this.#pipelines.get(key);
    if (pipeline === undefined) {
      pipeline = this.scoped(label, build);
      this.#pipelines.set(key, pipeline);
    }
    return pipeline;
  }

  /** Runs `work` inside error scopes and throws the device's errors as a DeviceError. */
  async scoped<Result>(label: string, work: () => Result | Promise<Result>): Promise<Result> {
    this.check();
    const { device } = this;
    const scopes: GPUErrorFilter[] = ["validation", "internal", "out-of-memory"];
    for (const scope of scopes) device.pushErrorScope(scope);
    const outcome = await Promise.resolve()
      .then(work)
      .then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
    const messages = await Promise.all(scopes.map(() => device.popErrorScope().then((error) => error?.message)));
    const [outOfMemory, internal, validation] = messages;
    this.check();
    if (outOfMemory !== undefined) {
      throw new DeviceMemoryError(`${this.description.name} is out of memory at ${label} (${outOfMemory})`);
    }
    if (internal ?? validation) throw new DeviceError(`${label} failed: ${internal ?? validation}`);
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  /** Throws if the device is gone or an earlier call failed outside every error scope. */
  check(): void {
    if (this.#loss !== null) {
      throw new DeviceLostError(
        `${this.description.name} was lost (${this.#loss.reason || "unknown"}: ${this.#loss.message}): run again, with fewer iterations per submission if it repeats, or on the CPU`,
      );
    }
    if (this.#uncaptured !== null) throw new DeviceError(`${this.description.name}: ${this.#uncaptured}`);
  }

  /** A buffer to map and read, of exactly `size` bytes; give it back with keepStaging. */
  takeStaging(size: number): GPUBuffer {
    const kept = this.#staging.get(size)?.pop();
    if (kept !== undefined) return kept;
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    return this.device.createBuffer({ label: "readback", size, usage });
  }

  keepStaging(buffer: GPUBuffer): void {
    const kept = this.#staging.get(buffer.size);
    if (kept === undefined) this.#staging.set(buffer.size, [buffer]);
    else kept.push(buffer);
  }

  /** Resolves when everything submitted so far has run. */
  async finished(): Promise<void> {
    await this.device.queue.onSubmittedWorkDone();
    this.check();
  }

  /**
   * Releases the device, so that Node may exit; the session is of no use afterwards. To be awaited: Dawn's threads must be
   * idle when the process ends, or it can abort with a good result already written.
   */
  async close(): Promise<void> {
    this.#pipelines.clear();
    for (const buffer of [...this.#staging.values()].flat()) buffer.destroy();
    this.#staging.clear();
    await this.device.queue.onSubmittedWorkDone().catch(() => undefined);
    this.device.destroy();
    await this.device.lost;
  }
}
