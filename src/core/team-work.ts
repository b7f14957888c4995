/** What all threads of a team share: who may begin, what is to be done, and which item is next. */

/** Does one item of a task, and writes to places in shared memory that no other item writes to; `argument` is the same for all items. */
export type Work = (task: number, item: number, argument: number) => void;

/** Where the words of TeamMemory stand. */
export const WORD = {
  /** Changes when there is something to do, or a message. */
  generation: 0,
  /** 1 while items are given out. */
  open: 1,
  /** Worker threads that may hold an item. */
  active: 2,
  /** The next item. */
  next: 3,
  /** The crew that works, its task, and the number of its items. */
  crew: 4,
  task: 5,
  items: 6,
  /** Worker threads that take part. */
  workers: 7,
  /** 1 once one has failed. */
  failed: 8,
} as const;

export interface TeamMemory {
  readonly words: Int32Array;
  readonly argument: Float64Array;
}

/** Does items until there are none. */
export function doItems({ words, argument }: TeamMemory, work: Work): void {
  const { [WORD.task]: task, [WORD.items]: items } = words;
  for (let item = Atomics.add(words, WORD.next, 1); item < items; item = Atomics.add(words, WORD.next, 1)) {
    work(task, item, argument[0]);
  }
}

/** Tells a worker thread of a crew: the module whose default export makes the work of its memory. A crew without one has ended. */
export interface CrewMessage {
  readonly crew: number;
  readonly module?: string;
  readonly memory?: unknown;
}
