/** Globals of Node that the core reads. The bundler puts them in their places, so that the page's own are left alone. */
export { Buffer } from "buffer";

export const process = {
  env: {} as Readonly<Record<string, string | undefined>>,
  platform: "browser",
  arch: "",
  pid: 0,
  cwd: () => "/",
  constrainedMemory: () => 0,
};

/** A page from a file has no shared memory, and one thread needs none. */
const memory: typeof ArrayBuffer =
  (globalThis as unknown as { SharedArrayBuffer?: typeof ArrayBuffer }).SharedArrayBuffer ?? ArrayBuffer;

export { memory as SharedArrayBuffer };

const waiting: (() => void)[] = [];
let channel: MessageChannel | undefined;

/** Calls back once messages have been heard; a timer would wait for 4 ms. */
export function setImmediate(resume: () => void): void {
  if (channel === undefined) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()?.();
  }
  waiting.push(resume);
  channel.port2.postMessage(null);
}
