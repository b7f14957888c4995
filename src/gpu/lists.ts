/** Lists whose lengths only the device knows: kernels count what they find, also where a list is full, and the host gives room for all. */
import type { Part, Step, Workspace } from "./workspace.js";

/** As many records as in the run before are expected, and a quarter more. */
const MORE_EXPECTED = 1.25;

export interface ListPlan {
  /** The buffer in which the kernels count; it is cleared first, and so is `cleared`. */
  readonly counters: string;
  readonly cleared?: readonly string[];
  /** Records found of each list, in the order in which the lists are made of one another. */
  counts(counters: Uint32Array): readonly number[];
  /** Makes lists with room for these numbers of records, and the steps that fill them. */
  steps(room: readonly number[]): readonly Step[];
}

export interface ListReading<Result> {
  /** Uploads before a run with this room; `isAgain` where lists were too short and everything but the room is there. */
  before(encoder: GPUCommandEncoder, room: readonly number[], isAgain: boolean): void | Promise<void>;
  /** Parts to read of lists that are this long. */
  parts(counts: readonly number[]): readonly Part[];
  /** The result, from the words of the parts, which are gone when it returns. */
  decode(words: readonly Uint32Array[], counts: readonly number[], counters: Uint32Array): Result;
  /** Work of the host while the device works, given the expected numbers of records. */
  meanwhile?(expected: readonly number[]): void;
}

export class DeviceLists {
  #room: readonly number[];
  #expected: readonly number[];
  #steps: readonly Step[];

  /** @param room records of each list at first */
  constructor(
    private readonly work: Workspace,
    private readonly plan: ListPlan,
    room: readonly number[],
  ) {
    this.#room = room;
    this.#expected = room.map(() => 0);
    this.#steps = plan.steps(room);
  }

  /** Runs until every list holds all that was found; waits once for the device where that is about as much as in the run before, else twice. */
  async fill<Result>({ before, parts, decode, meanwhile }: ListReading<Result>): Promise<Result> {
    const { work, plan } = this;
    for (let isAgain = false; ; isAgain = true) {
      const expected = this.#expected;
      const isWithin = (counts: readonly number[], most: readonly number[]) => counts.every((n, k) => n <= most[k]);
      const found = await work.run(
        async (encoder) => {
          await before(encoder, this.#room, isAgain);
          work.clear(encoder, [plan.counters, ...(plan.cleared ?? [])]);
          work.record(encoder, this.#steps);
        },
        [{ name: plan.counters }, ...parts(expected)],
        ([counters, ...words]) => {
          const counts = plan.counts(counters);
          const isThere = isWithin(counts, expected) && isWithin(counts, this.#room);
          const result = isThere ? { result: decode(trimmed(words, parts(counts)), counts, counters) } : null;
          return { counters: counters.slice(), counts, result };
        },
        () => meanwhile?.(expected),
      );
      const { counters, counts, result } = found;
      if (isWithin(counts, this.#room)) {
        this.#expected = counts.map((n, k) => Math.min(Math.ceil(MORE_EXPECTED * n), this.#room[k]));
        if (result !== null) return result.result;
        return await work.run(
          () => {},
          parts(counts),
          (words) => decode(words, counts, counters),
        );
      }
      // A list that was cut short does not show how long those made of it would be.
      this.#room = this.#room.map((room, k) => Math.max(room, ...counts.slice(0, k + 1).map((n) => 2 * n)));
      this.#steps = plan.steps(this.#room);
    }
  }
}

/** The words that were read, each list cut to its wanted length. */
function trimmed(words: readonly Uint32Array[], wanted: readonly Part[]): Uint32Array[] {
  return words.map((all, k) => all.subarray(0, wanted[k].bytes === undefined ? all.length : wanted[k].bytes / 4));
}
