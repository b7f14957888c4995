import { EXIT } from "./exit.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Ctrl-C and SIGTERM, which every command takes alike: the first may be answered, the second ends the program. */
export class Interrupt {
  #answered = false;
  #answers = false;
  readonly #hear = () => {
    if (this.#answered || !this.#answers) process.exit(EXIT.interrupted);
    this.#answered = true;
  };

  /**
   * Listens from now on. Until `answer` is called there is nothing to save, and a signal ends the program with code 130. Work that
   * keeps the event loop busy for long, such as reading large files, comes before: it is ended by the signal itself.
   */
  listen(): void {
    for (const signal of SIGNALS) process.on(signal, this.#hear);
  }

  /** From now on the first signal is answered by whoever asks `heard`. */
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
