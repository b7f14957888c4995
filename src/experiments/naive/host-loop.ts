import type { Step, Workspace } from "../../gpu/workspace.js";

/** A device driven from the host: after every step the host waits for the report of the step and then decides on the next one. */
export class HostLoop {
  readonly #report: GPUBuffer;
  readonly #staging: GPUBuffer;
  #steps = 0;

  /** The host reads the buffer `report`, words of 4 bytes, after each step. */
  constructor(
    private readonly work: Workspace,
    report: string,
  ) {
    this.#report = work.buffer(report);
    const [size, usage] = [this.#report.size, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST];
    this.#staging = work.session.device.createBuffer({ label: "report", size, usage });
  }

  /** Steps so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Dispatch, copy and map in one submission; `clear` names words of the report to be zeroed first. */
  async step(steps: readonly Step[], clear?: { readonly first: number; readonly count: number }): Promise<Uint32Array> {
    const { work } = this;
    const { device } = work.session;
    const encoder = device.createCommandEncoder({ label: "step" });
    if (clear !== undefined) encoder.clearBuffer(this.#report, 4 * clear.first, 4 * clear.count);
    const pass = encoder.beginComputePass({ label: "step" });
    for (const step of steps) work.dispatch(pass, step);
    pass.end();
    encoder.copyBufferToBuffer(this.#report, 0, this.#staging, 0, this.#report.size);
    device.queue.submit([encoder.finish()]);
    this.#steps++;
    try {
      await this.#staging.mapAsync(GPUMapMode.READ);
    } catch (error) {
      work.session.check();
      throw error;
    }
    const words = new Uint32Array(this.#staging.getMappedRange().slice(0));
    this.#staging.unmap();
    work.session.check();
    return words;
  }

  destroy(): void {
    this.#staging.destroy();
  }
}
