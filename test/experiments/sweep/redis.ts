import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll } from "vitest";
import { withPassword } from "../../../src/experiments/sweep/queue.js";
import { folderWith } from "../../formats/support.js";
import { freePort, type Running, start } from "./support.js";

/** Whether redis-server is there; where it must be (.ci/run), its absence fails the tests instead of skipping them. */
export const installed = spawnSync("redis-server", ["--version"]).status === 0;
export const required = process.env.RMAP_REQUIRE_REDIS === "1";

const quickWorker = fileURLToPath(new URL("quick-worker.mjs", import.meta.url));

export interface Server {
  readonly url: string;
  /** Kills it and starts it again on the same port, with what it had written. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A redis-server on a free port of the loopback, which writes every change to `folder` before it answers. */
export async function startServer(folder: string, password = ""): Promise<Server> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const options = { port, bind: "127.0.0.1", dir: folder, save: "", appendonly: "yes", appendfsync: "always" };
  const args = Object.entries({ ...options, requirepass: password }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
  let server: ChildProcess;
  const begin = async () => {
    server = spawn("redis-server", args, { stdio: "ignore" });
    await answers(withPassword(url, password));
  };
  const kill = async () => {
    const ended = new Promise((resolve) => server.once("close", resolve));
    server.kill("SIGKILL");
    await ended;
  };
  await begin();
  return { url, stop: kill, restart: () => kill().then(begin) };
}

/** A server for all tests of a file, in a folder below `parent`, and programs and workers at it that are killed after each test. */
export function useServer(parent: string) {
  let server: Server;
  const running: Running[] = [];
  const begin = (...how: Parameters<typeof start>): Running => {
    const started = start(...how);
    running.push(started);
    return started;
  };
  beforeAll(async () => {
    server = await startServer(folderWith(parent, {}));
  });
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill("SIGKILL");
      await ended;
    }
  });
  afterAll(() => server?.stop());
  return {
    server: {
      get url() {
        return server.url;
      },
      restart: () => server.restart(),
    },
    begin,
    worker: (...args: string[]) => begin(["worker", "--queue", server.url, "--jobs", "1", ...args]),
    /** One whose work others take 2 s after its end. */
    quickWorker: () => begin([server.url], undefined, undefined, quickWorker),
  };
}

async function answers(url: string): Promise<void> {
  const client = new Redis(url, { retryStrategy: (times) => (times < 200 ? 50 : null), maxRetriesPerRequest: null });
  client.on("error", () => {});
  await client.ping();
  client.disconnect();
}
