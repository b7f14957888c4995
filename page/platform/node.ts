/** What else of Node the core names: most of it is never called with one thread. */
import { sha256 } from "@noble/hashes/sha2.js";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { unzipSync, unzlibSync } from "fflate";

/** node:os. A page runs on one thread. */
export const availableParallelism = (): number => 1;
export const hostname = (): string => "browser";
/** Browsers end a tab at 4 GiB or before; where they say how much they give, that is taken. */
export const totalmem = (): number =>
  (performance as { memory?: { jsHeapSizeLimit: number } }).memory?.jsHeapSizeLimit ?? 2 ** 32;
/** node:buffer: the longest text. */
export const constants = { MAX_STRING_LENGTH: 2 ** 29 - 24 };

/** node:url, of the places of modules and kernels. */
export const fileURLToPath = (url: URL): string => url.pathname;
export const pathToFileURL = (path: string): URL => new URL(path, "file:///");

/** node:util and node:buffer. */
export const TextDecoder = globalThis.TextDecoder;
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** node:crypto. The browser's own digest is asynchronous. */
export function createHash(_: "sha256") {
  const hash = sha256.create();
  const encoder = new TextEncoder();
  const digester = {
    update(data: string | Uint8Array) {
      hash.update(typeof data === "string" ? encoder.encode(data) : data);
      return digester;
    },
    digest: (_: "hex") => Array.from(hash.digest(), (byte) => byte.toString(16).padStart(2, "0")).join(""),
  };
  return digester;
}

/** node:zlib. */
export const inflateSync = (bytes: Uint8Array): Uint8Array => unzlibSync(bytes);

/** node:stream. Files in memory keep nobody waiting. */
export const addAbortSignal = <Stream>(_: AbortSignal, stream: Stream): Stream => stream;

/** node:net, for pipes, of which there are none. */
export class Socket {
  constructor() {
    absent("node:net");
  }
}

/** node:module, for packages that readers load when they need them. */
export function createRequire() {
  const packages: Readonly<Record<string, unknown>> = {
    "fast-xml-parser": { XMLParser, XMLValidator },
    fflate: { unzipSync },
  };
  return Object.assign((name: string) => packages[name], {
    resolve: (name: string): never => absent(name),
  });
}

/** An optional package that the page does not have, in Node's words. */
export function absent(name: string): never {
  throw Object.assign(new Error(`Cannot find package '${name}'`), { code: "ERR_MODULE_NOT_FOUND" });
}

/** node:worker_threads, which one thread never calls. */
export class Worker {
  constructor() {
    absent("node:worker_threads");
  }
}
export const MessageChannel = globalThis.MessageChannel;
export const receiveMessageOnPort = (): undefined => undefined;
