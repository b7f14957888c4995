import type { SolveOptions } from "./solution.js";

/** The time that is left, less the time that the answer will take. */
export interface Clock {
  readonly begin: number;
  /** Whether a search that would outlast the time is to be cut short; once true, it stays so. */
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
    // Only the search is cut short.
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
