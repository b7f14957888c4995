import type { OverLinks } from "./stated-costs.js";

/** Links over missed detections, by the detections of the recording, of which there may be more than an Int32Array counts. */
export interface RecordingLinks {
  readonly tail: Float64Array;
  readonly head: Float64Array;
}

/** Links over missed detections that were chosen for each window. */
export class ChosenLinks {
  readonly #ofWindow = new Map<number, Promise<RecordingLinks>>();

  constructor(private readonly choose: (window: number) => Promise<RecordingLinks>) {}

  /**
   * The links chosen for windows `first` … `last`, by numbers of `count` detections of which the first is detection `before` of the recording. Those of
   * earlier windows are forgotten.
   */
  async among([first, last]: readonly [number, number], before: number, count: number): Promise<OverLinks> {
    for (const window of this.#ofWindow.keys()) if (window < first) this.#ofWindow.delete(window);
    const choices: Promise<RecordingLinks>[] = [];
    for (let window = first; window <= last; window++) choices.push(this.#of(window));
    const all = await Promise.all(choices);
    const joined = (key: "tail" | "head") => all.flatMap((choice) => Array.from(choice[key], (d) => d - before));
    const [tail, head] = [joined("tail"), joined("head")];
    const inside = (_: number, e: number) => tail[e] >= 0 && head[e] < count;
    return { tail: Int32Array.from(tail.filter(inside)), head: Int32Array.from(head.filter(inside)) };
  }

  #of(window: number): Promise<RecordingLinks> {
    const known = this.#ofWindow.get(window);
    if (known !== undefined) return known;
    const choice = this.choose(window);
    // Whoever waits for it hears of a failure.
    choice.catch(() => {});
    this.#ofWindow.set(window, choice);
    return choice;
  }
}
