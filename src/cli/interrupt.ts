import { EXIT } from "./exit.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Ctrl-C and SIGTERM, which every command handles in the same way: the first may be answered, the second ends the program. */
export class Interrupt {
  #answered = false;
  #answers = false;
  readonly #hear = () => {
    if (this.#answered || !this.#answers) process.exit(EXIT.interrupted);
    this.#answered = true;
    this.answered();
  };

  /** @param answered called at the signal that sets `heard`, for what waits for it: a stream to read */
  constructor(private readonly answered: () => void = () => {}) {}

  /**
   * Listens from now on. Until `answer` is called there is nothing to save, and a signal ends the program with code 130. Work that
   * keeps the event loop busy for long, such as reading large files, must come before: the signal itself ends it.
   */
  listen(): void {
    for (const signal of SIGNALS) process.on(signal, this.#hear);
  }

  /** From now on the first signal only sets `heard`, and the caller answers it. */
  answer(): void {
    this.#answers = true;
  }

  get heard(): boolean {
    return this.#answered;
  }

  close(): void {
    for (const signal of SIGNALS) process.off(signal, this.#hear);
  }
}
