import type { SolveOptions } from "./solution.js";

/** How much of the time is left, less what the answer will take. */
export interface Clock {
  readonly begin: number;
  /** Whether what would outlast the time is to be cut short; it stays so. */
  late(): boolean;
  /** Seconds that the last search and the certificate will take: a search's own, and half of that. */
  reserve: number;
  /** Calls `ring` when it is late. */
  onLate(ring: () => void): void;
  stop(): void;
}

export function startClock({ now, time, alarm }: Pick<SolveOptions, "now" | "time" | "alarm">): Clock {
  const begin = now();
  let silence: (() => void) | null = null;
  let isLate = false;
  const clock: Clock = {
    begin,
    reserve: 0,
    // The search is what is cut short.
    late() {
      isLate ||= now() - begin + clock.reserve / 3 >= time;
      return isLate;
    },
    onLate(ring) {
      clock.stop();
      if (alarm === undefined || !Number.isFinite(time)) return;
      silence = alarm(Math.max(0, time - clock.reserve / 3 - (now() - begin)), ring);
    },
    stop() {
      silence?.();
      silence = null;
    },
  };
  return clock;
}
