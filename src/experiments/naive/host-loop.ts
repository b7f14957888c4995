import { readStorage } from "../../gpu/buffers.js";
import type { Step, Workspace } from "../../gpu/workspace.js";

/** Words of the report that are zeroed before a step. */
export interface Cleared {
  readonly first: number;
  readonly count: number;
}

/** A device driven from the host: after every step the host waits for the report of the step and then decides on the next one. */
export class HostLoop {
  #steps = 0;

  /** The host reads the buffer `report` after each step. */
  constructor(
    readonly work: Workspace,
    readonly report: string,
  ) {}

  /** Steps so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Dispatches, copies and maps in one submission, and returns the report. */
  async step(dispatches: readonly Step[], cleared?: Cleared): Promise<Uint32Array> {
    const { session } = this.work;
    const report = this.work.buffer(this.report);
    const encoder = session.device.createCommandEncoder({ label: "step" });
    if (cleared !== undefined) encoder.clearBuffer(report, 4 * cleared.first, 4 * cleared.count);
    this.work.record(encoder, dispatches, "step");
    this.#steps++;
    const [bytes] = await readStorage(session, [report], encoder);
    return new Uint32Array(bytes);
  }
}
