import { sharedFloat64, sharedInt32 } from "../core/shared-arrays.js";
import { doAside } from "../core/team.js";
import type { Work } from "../core/team-work.js";
import { compareLabels } from "./comparison.js";
import { METRIC_NAMES, type Scores, scoreTracks } from "./metrics.js";

/** Worker threads that the search for margins has at most, from which on one more scores. */
const OTHERS = 7;

/** Milliseconds after which nobody waits for scores any more. */
const PATIENCE = 10_000;

/** What is scored, and the scores, in shared memory: NaN for null, none at all where `state` is EMPTY. */
interface ScoresMemory {
  readonly frameStart: Uint32Array;
  readonly target: Int32Array;
  readonly track: Int32Array;
  readonly values: Float64Array;
  readonly state: Int32Array;
}

const [PENDING, SCORED, EMPTY] = [0, 1, 2];

/** Scores, and leaves nothing to do for a crew. */
export function scoreAside({ frameStart, target, track, values, state }: ScoresMemory): Work {
  const scores = scoreTracks(compareLabels(frameStart, target, track));
  METRIC_NAMES.forEach((name, k) => {
    values[k] = scores?.[name] ?? Number.NaN;
  });
  Atomics.store(state, 0, scores === null ? EMPTY : SCORED);
  Atomics.notify(state, 0);
  return () => {};
}

/** Scores of labels against the truth, made on a thread of their own where they are known early. */
export class EarlyScores {
  #memory: ScoresMemory | null = null;

  constructor(
    private readonly frameStart: Uint32Array,
    private readonly target: Int32Array,
  ) {}

  /** Begins to score labels, unless others are still being scored or no thread is left for it. */
  begin(track: Int32Array): void {
    if (this.#memory !== null && Atomics.load(this.#memory.state, 0) === PENDING) return;
    const { frameStart, target } = this;
    const memory = { frameStart, target, track, values: sharedFloat64(METRIC_NAMES.length), state: sharedInt32(1) };
    this.#memory = doAside(OTHERS, "#scores-worker", memory) ? memory : null;
  }

  /** The scores of these labels. */
  of(track: Int32Array): Scores | null {
    const { frameStart, target } = this;
    const memory = this.#memory;
    const isSame =
      memory !== null && track.length === memory.track.length && memory.track.every((t, d) => t === track[d]);
    if (isSame) Atomics.wait(memory.state, 0, PENDING, PATIENCE);
    const state = isSame ? Atomics.load(memory.state, 0) : PENDING;
    if (memory === null || state === PENDING) return scoreTracks(compareLabels(frameStart, target, track));
    if (state === EMPTY) return null;
    const scores = METRIC_NAMES.map((name, k) => [name, Number.isNaN(memory.values[k]) ? null : memory.values[k]]);
    return Object.fromEntries(scores) as Scores;
  }
}
