import { Presets, SingleBar } from "cli-progress";
import type { SweepState } from "../experiments/sweep/sweep.js";

/** A bar with the time left on stderr; nothing when `shown` is false. */
export function sweepProgress(shown: boolean) {
  let bar: SingleBar | null = null;
  return {
    update({ runs, already, made, failed }: SweepState): void {
      if (!shown || already === runs) return;
      const note = failed > 0 ? `, ${failed} failed` : "";
      const done = already + made;
      if (bar === null) {
        const format = "runs {bar} {value} of {total}{note}, {eta_formatted} left";
        bar = new SingleBar(
          { format, clearOnComplete: true, stream: process.stderr, hideCursor: true, etaBuffer: 50 },
          Presets.rect,
        );
        bar.start(runs, done, { note });
      } else bar.update(done, { note });
      if (done === runs) this.end();
    },
    end(): void {
      bar?.stop();
      bar = null;
    },
  };
}
