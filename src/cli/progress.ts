/** Progress of a run on standard error: a line that is written over on a terminal, and elsewhere a line now and then. */

const BAR = 20;
/** Milliseconds between two lines on a terminal, where a person watches. */
const OFTEN = 100;
/** Milliseconds between two lines of a log. A run that is shorter says nothing. */
const SELDOM = 30_000;
/** Milliseconds of work after which the time left can be told. */
const TOLD_FROM = 2_000;

export class Progress {
  readonly #terminal = process.stderr.isTTY === true;
  #last = this.#terminal ? Number.NEGATIVE_INFINITY : performance.now();
  #phase = "";
  #began = { at: 0, done: 0 };
  #written = false;

  /** @param shown false for a run that is to say nothing */
  constructor(private readonly shown: boolean) {}

  /** How far the work of `phase` is; `total` is left out where nobody knows, and `more` makes the text behind it, when it is shown. */
  show(phase: string, done: number, total?: number, more: () => string = () => ""): void {
    if (!this.shown) return;
    const now = performance.now();
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#began = { at: now, done };
    }
    const isDone = done === total && !this.#terminal;
    if (isDone || now - this.#last < (this.#terminal ? OFTEN : SELDOM)) return;
    this.#last = now;
    const text = `${phase} ${total === undefined ? done : this.#share(done, total, now)}${more()}`;
    process.stderr.write(this.#terminal ? `\r\x1b[K${text}` : `rmap: ${text}\n`);
    this.#written = this.#terminal;
  }

  #share(done: number, total: number, now: number): string {
    const full = Math.round((BAR * done) / total);
    const bar = this.#terminal ? `${"█".repeat(full)}${"░".repeat(BAR - full)} ` : "";
    const { at, done: before } = this.#began;
    const left = ((now - at) * (total - done)) / (done - before);
    const tell = now - at > TOLD_FROM && done > before && done < total;
    return `${bar}${done} of ${total}${tell ? `, ${Math.ceil(left / 1000)} s left` : ""}`;
  }

  /** Takes the line away. */
  end(): void {
    if (this.#written) process.stderr.write("\r\x1b[K");
    this.#written = false;
  }
}
