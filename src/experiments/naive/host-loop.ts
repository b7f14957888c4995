import type { GpuSession } from "../../gpu/session.js";
import type { Kernel } from "../../gpu/wgsl/kernel.js";

/** One kernel of a step: what it binds and over how many workgroups. */
export interface Dispatch {
  readonly kernel: Kernel;
  readonly group: GPUBindGroup;
  readonly workgroups: readonly [number, number, number];
}

/** A device driven from the host: after every step the host waits for the report of the step and then decides on the next one. */
export class HostLoop {
  readonly #staging: GPUBuffer;
  #steps = 0;

  /** The host reads `report`, words of 4 bytes, after each step. */
  constructor(
    readonly session: GpuSession,
    readonly report: GPUBuffer,
  ) {
    this.#staging = session.device.createBuffer({
      label: "report",
      size: report.size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
  }

  /** Steps so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Dispatch, copy and map in one submission; `clear` names words of the report to be zeroed first. */
  async step(dispatches: readonly Dispatch[], clear?: { readonly first: number; readonly count: number }) {
    const { device } = this.session;
    const encoder = device.createCommandEncoder({ label: "step" });
    if (clear !== undefined) encoder.clearBuffer(this.report, 4 * clear.first, 4 * clear.count);
    const pass = encoder.beginComputePass({ label: "step" });
    for (const { kernel, group, workgroups } of dispatches) kernel.dispatch(pass, group, workgroups);
    pass.end();
    encoder.copyBufferToBuffer(this.report, 0, this.#staging, 0, this.report.size);
    device.queue.submit([encoder.finish()]);
    this.#steps++;
    try {
      await this.#staging.mapAsync(GPUMapMode.READ);
    } catch (error) {
      this.session.check();
      throw error;
    }
    const words = new Uint32Array(this.#staging.getMappedRange().slice(0));
    this.#staging.unmap();
    this.session.check();
    return words;
  }

  destroy(): void {
    this.#staging.destroy();
  }
}
