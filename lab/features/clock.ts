/** Times on a device: by its own clock, and from call to answer. */

import { BusyWork, type Spread, spreadOf } from "../../dist/experiments/bench/timing.js";
import type { GpuSession } from "../../dist/gpu/session.js";
import { PassLog } from "../../dist/gpu/timer.js";

/** Passes that are timed between two readings, at most. */
const MOST_PASSES = 128;
const WARM_UP = 3;
/** Runs between two that keep the device's clocks up. */
const BUSY_EVERY = 10;

export class FeatureClock {
  private constructor(
    readonly session: GpuSession,
    /** Seconds since some fixed time. */
    readonly now: () => number,
    /** Timings of each. */
    readonly repetitions: number,
    private readonly busy: BusyWork,
    private readonly log: PassLog,
  ) {}

  static async create(session: GpuSession, now: () => number, repetitions: number): Promise<FeatureClock> {
    const busy = await BusyWork.create(session, now);
    return new FeatureClock(session, now, repetitions, busy, new PassLog(session, MOST_PASSES));
  }

  /** Milliseconds, by the device's clock, of the passes with this label that `work` runs. */
  async device(label: string, work: () => Promise<unknown>): Promise<Spread> {
    const times: number[] = [];
    for (let run = -WARM_UP; run < this.repetitions; run++) {
      if (run === -WARM_UP || run % BUSY_EVERY === 0) await this.busy.run();
      const passes = (await this.log.of(work)).filter((pass) => pass.label === label);
      if (run >= 0) times.push(passes.reduce((sum, { milliseconds }) => sum + milliseconds, 0));
    }
    return spreadOf(times);
  }

  /** Each dispatch that `work` records in a pass of its own: its kernel, and the least milliseconds of a tenth of the repetitions. */
  async passes(work: () => Promise<unknown>): Promise<{ readonly name: string; readonly milliseconds: number }[]> {
    let least: { readonly name: string; readonly milliseconds: number }[] = [];
    for (let run = 0; run < Math.ceil(this.repetitions / 10); run++) {
      await this.busy.run();
      least = (await this.log.of(work, true)).map(({ label, milliseconds }, k) => ({
        name: label.replace(/.*\//, "").replace(".wgsl", ""),
        milliseconds: Math.min(milliseconds, least[k]?.milliseconds ?? milliseconds),
      }));
    }
    return least;
  }

  /** Milliseconds of each kernel, its dispatches together. */
  async kernels(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const { name, milliseconds } of await this.passes(work)) sums[name] = (sums[name] ?? 0) + milliseconds;
    return Object.fromEntries(Object.entries(sums).map(([name, ms]) => [name, Number(ms.toFixed(4))]));
  }

  /** Milliseconds from call to answer, and the last answer; a fifth as many runs come before and warm up, none before a single one. */
  async wall<Answer>(
    work: () => Promise<Answer> | Answer,
    repetitions = this.repetitions,
  ): Promise<{ readonly spread: Spread; readonly answer: Answer }> {
    const times: number[] = [];
    for (let run = repetitions > 1 ? -Math.ceil(repetitions / 5) : 0; ; run++) {
      const from = this.now();
      const answer = await work();
      if (run >= 0) times.push(1000 * (this.now() - from));
      if (times.length === repetitions) return { spread: spreadOf(times), answer };
    }
  }

  destroy(): void {
    this.log.destroy();
    this.busy.destroy();
  }
}
