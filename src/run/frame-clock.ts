/** Measures the time of each frame in constant memory, and the delay that the machine itself adds. */
import { createHistogram, performance, type RecordableHistogram } from "node:perf_hooks";

/** Milliseconds of one clock over all frames. */
export interface Durations {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly worst: number;
  /** Frames that took longer than a frame lasts. */
  readonly over: number;
}

export interface FrameTimes {
  readonly frames: number;
  /** Milliseconds a frame lasts. */
  readonly budget: number;
  /**
   * "thread": thread CPU time, where Node provides it (from 23.9). "bound": the lesser of the wall clock and the CPU time of the process, which also counts the
   * threads of the collector and the compiler; the thread used no more than that.
   */
  readonly cpuClock: "thread" | "bound";
  readonly cpu: Durations;
  readonly wall: Durations;
  /** A loop that does nothing for as long as the median frame took, which shows the delay that the machine's scheduler adds. */
  readonly emptyLoop: { readonly loops: number; readonly wall: Durations };
}

/** Seconds the empty loop may take. */
const EMPTY_SECONDS = 2;

type CpuUsage = (before?: NodeJS.CpuUsage) => NodeJS.CpuUsage;
const threadCpu = (process as { threadCpuUsage?: CpuUsage }).threadCpuUsage;

/** Microseconds of CPU time since `before`. */
const cpuUsage: CpuUsage = (before) => {
  // Linux brings the thread's own time up to date when it is asked for that of the process; else it is up to 4 ms old.
  const ofProcess = process.cpuUsage(threadCpu === undefined ? before : undefined);
  return threadCpu === undefined ? ofProcess : threadCpu.call(process, before);
};

/** Times frames from begin() to end(). */
export class FrameClock {
  readonly #wall: RecordableHistogram = createHistogram();
  readonly #cpu: RecordableHistogram = createHistogram();
  #over = { cpu: 0, wall: 0 };
  #began = 0;
  #used: NodeJS.CpuUsage = cpuUsage();

  /** @param rate frames a second */
  constructor(readonly rate: number) {}

  begin(): void {
    this.#used = cpuUsage();
    this.#began = performance.now();
  }

  end(): void {
    const wall = performance.now() - this.#began;
    const { user, system } = cpuUsage(this.#used);
    const used = (user + system) / 1000;
    const cpu = threadCpu === undefined ? Math.min(used, wall) : used;
    record(this.#wall, wall);
    record(this.#cpu, cpu);
    if (wall > 1000 / this.rate) this.#over.wall++;
    if (cpu > 1000 / this.rate) this.#over.cpu++;
  }

  times(): FrameTimes {
    const budget = 1000 / this.rate;
    return {
      frames: Number(this.#wall.count),
      budget,
      cpuClock: threadCpu === undefined ? "bound" : "thread",
      cpu: durations(this.#cpu, this.#over.cpu),
      wall: durations(this.#wall, this.#over.wall),
      emptyLoop: emptyLoop(this.#wall.percentile(50) / 1e6, Number(this.#wall.count), budget),
    };
  }
}

function emptyLoop(length: number, most: number, budget: number) {
  const histogram = createHistogram();
  const loops = Math.min(most, Math.ceil((1000 * EMPTY_SECONDS) / Math.max(length, 1e-3)));
  let over = 0;
  for (let loop = 0; loop < loops; loop++) {
    const began = performance.now();
    let taken = 0;
    while (taken < length) taken = performance.now() - began;
    record(histogram, taken);
    if (taken > budget) over++;
  }
  return { loops, wall: durations(histogram, over) };
}

/** In whole nanoseconds, as histograms take them. */
function record(histogram: RecordableHistogram, milliseconds: number): void {
  histogram.record(Math.max(1, Math.round(milliseconds * 1e6)));
}

function durations(histogram: RecordableHistogram, over: number): Durations {
  if (Number(histogram.count) === 0) return { mean: 0, p50: 0, p99: 0, p999: 0, worst: 0, over };
  const at = (percent: number) => histogram.percentile(percent) / 1e6;
  return { mean: histogram.mean / 1e6, p50: at(50), p99: at(99), p999: at(99.9), worst: histogram.max / 1e6, over };
}
