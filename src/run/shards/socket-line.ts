import type { Socket } from "node:net";
import { deserialize, serialize } from "node:v8";
import { InputError } from "../../core/errors.js";
import type { Line } from "../../map/shards/line.js";
import { toSend } from "./arrays.js";

/** Bytes before a message: their number. */
const HEAD = 4;
/** Bytes that a message has at most: what a buffer holds in all versions of Node. */
const MOST = 2 ** 31 - 1;

/** What is said beside messages: of one who is busy that it lives, of one who is done that it ends well, and that shards begin anew. */
type Word = "alive" | "end" | "renew";

/** Milliseconds between two signs of life, and how many of them may be missing. */
export const BEAT = { every: 1000, missing: 20 };

/** Milliseconds for the other side to close its end, and of silence after which the system asks whether the other host is there. */
const GOODBYE = 5000;
const KEEP = 10_000;

/** A line by a socket whose other end has shown that it may be heard: what comes is deserialised. */
export class SocketLine<Sent, Heard> implements Line<Sent, Heard> {
  /** Why there is no line any more; null while there is one. */
  ended: string | null = null;
  readonly #heardWord: Partial<Record<Word, () => void>> = {};
  #hear: (message: Heard) => void = () => {};
  #lost: (why: string) => void = () => {};
  #chunks: Buffer[] = [];
  #held = 0;
  #silent = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param name of the other end */
  constructor(
    private readonly socket: Socket,
    private readonly name: string,
  ) {
    socket.setNoDelay(true).setKeepAlive(true, KEEP);
    socket.on("data", (chunk) => this.#push(chunk));
    socket.on("error", ({ message }) => this.#lose(message));
    socket.on("close", () => this.#lose("its connection was closed"));
  }

  listen(hear: (message: Heard) => void, lost: (why: string) => void): void {
    [this.#hear, this.#lost] = [hear, lost];
    if (this.ended !== null) lost(this.ended);
  }

  send(message: Sent | Word): void {
    const content = serialize(toSend(message));
    if (content.length > MOST)
      throw new InputError(`--shards: a stretch of ${content.length} bytes is too long to be sent; take more shards`);
    if (this.socket.destroyed) return;
    const head = Buffer.alloc(HEAD);
    head.writeUInt32LE(content.length);
    this.socket.write(head);
    this.socket.write(content);
  }

  onWord(word: Word, act: () => void): void {
    this.#heardWord[word] = act;
  }

  /** Says at every beat that this process lives. */
  beat(every = BEAT.every): void {
    this.#timer = setInterval(() => this.send("alive"), every);
  }

  /** Loses the line where the other end says nothing. Beats are counted by this process, so that one that was busy or halted blames nobody. */
  expectBeats(every = BEAT.every): void {
    this.#timer = setInterval(() => {
      if (++this.#silent > BEAT.missing)
        this.socket.destroy(new Error(`nothing was heard of it for ${BEAT.missing} beats`));
    }, every);
  }

  /** Ends the line well, and waits until the other end has closed it. */
  async end(): Promise<void> {
    if (this.ended !== null) return;
    this.send("end");
    const late = setTimeout(() => this.socket.destroy(), GOODBYE);
    await new Promise((resolve) => this.socket.once("close", resolve));
    clearTimeout(late);
  }

  destroy(): void {
    this.socket.destroy();
  }

  #push(chunk: Buffer): void {
    this.#silent = 0;
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    while (this.#held >= HEAD) {
      // Chunks are joined once a message is whole, so that a long one is copied once.
      if (this.#chunks[0].length < HEAD) this.#chunks = [Buffer.concat(this.#chunks)];
      const length = this.#chunks[0].readUInt32LE();
      if (length > MOST) this.socket.destroy(new Error(`it announced ${length} bytes`));
      if (length > MOST || this.#held < HEAD + length) return;
      const all = Buffer.concat(this.#chunks);
      this.#chunks = [all.subarray(HEAD + length)];
      this.#held = this.#chunks[0].length;
      const message: Heard | Word = deserialize(all.subarray(HEAD, HEAD + length));
      if (typeof message === "string") this.#heardWord[message as Word]?.();
      else this.#hear(message as Heard);
    }
  }

  #lose(why: string): void {
    if (this.ended !== null) return;
    this.ended = `${this.name}: ${why}`;
    clearInterval(this.#timer);
    this.#lost(this.ended);
  }
}
