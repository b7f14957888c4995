import { type FrameNumbers, frameNumber } from "../core/frame-numbers.js";
import { finiteOrNull } from "../rows/results.js";
import type { InputFrame } from "../run/windows/frames.js";
import type { ClosedWindow } from "../run/windows/windows.js";
import { formatNumber } from "./text.js";

/** Rows of tracks.csv, with the cells of the input that are handed on. */
export function formatFrame(frame: number, { x, y, carried = [] }: InputFrame, track: readonly number[]): string {
  return track.map((t, d) => `${frame},${d},${t},${x[d]},${y[d]}${carried[d] ?? ""}\n`).join("");
}

/** A line of windows.jsonl. */
export function windowRow({ frames, lowerBound, cost, ...rest }: ClosedWindow, numbers: FrameNumbers) {
  return {
    ...rest,
    frames: frames.map((frame) => frameNumber(numbers, frame)),
    lowerBound: finiteOrNull(lowerBound),
    cost,
    gapNats: finiteOrNull(cost - lowerBound),
  };
}

/** A line on stderr that says how far the windows are. */
export class WindowProgress {
  #nats = 0;
  constructor(private readonly shown: boolean) {}

  show({ window, frames, cost, lowerBound }: ClosedWindow, numbers: FrameNumbers): void {
    this.#nats += cost - lowerBound;
    if (!this.shown) return;
    process.stderr.write(
      `\rwindow ${window} closed, up to frame ${frameNumber(numbers, frames[1])}  gap so far ${formatNumber(this.#nats)} nats   `,
    );
  }

  end(): void {
    if (this.shown) process.stderr.write("\r\u001b[K");
  }
}
