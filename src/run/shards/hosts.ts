/** Where the tasks of an `srun` meet, so that their hosts share one ascent: the first one listens, the others come with the token that it left for them in a file. */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { join as pathOf } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, createServer, type TLSSocket } from "node:tls";
import { InputError } from "../../core/errors.js";
import { withFile } from "../../files/refusal.js";
import type { FromShard, ToShard } from "../../map/shards/line.js";
import { SocketLine } from "./socket-line.js";
import { type ShardProcess, type ShardSettings, startShard } from "./start.js";

/** Seconds that tasks wait for each other: programs load slowly where many read them from one disk, and a cache may hide a new file for a minute. */
const WAIT = 120;
const PAUSE = 100;
/** Milliseconds for a connection to be made. */
const ANSWER = 5000;

/** Both ends prove that they have the token before either reads a byte of the other, and nobody between can read or change one. */
const TLS = { ciphers: "PSK-AES128-GCM-SHA256", minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const;

/** Which of the tasks this process is. */
export interface Task {
  /** From 0: the first one leads. */
  readonly rank: number;
  readonly tasks: number;
  readonly host: string;
  /** Number of the task on its host, and so of its card. */
  readonly local: number;
  /** The file in which the first one leaves its addresses and the token. */
  readonly meeting: string;
}

/** What all tasks must have in common, by name. */
export type Facts = Readonly<Record<string, string>>;

interface Meeting {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly token: string;
  readonly facts: Facts;
}

/** @throws InputError outside of tasks */
export function taskOf(folder: string, env: NodeJS.ProcessEnv = process.env): Task {
  const [rank, tasks] = [env.SLURM_PROCID, env.SLURM_STEP_NUM_TASKS ?? env.SLURM_NTASKS].map(Number);
  if (!(rank >= 0 && rank < tasks && tasks > 1))
    throw new InputError(
      "--shards hosts: this is none of two or more tasks; start it by srun, or set SLURM_PROCID (0, 1, …) and SLURM_NTASKS for each",
    );
  const step = `${env.SLURM_JOB_ID ?? 0}.${env.SLURM_STEP_ID ?? 0}`;
  const host = env.SLURMD_NODENAME ?? hostname();
  return { rank, tasks, host, local: Number(env.SLURM_LOCALID ?? 0), meeting: pathOf(folder, `.rmap-hosts-${step}`) };
}

/**
 * Waits for the other tasks; their shards, in order.
 * @throws InputError where one does not come, or has something else
 */
export async function gather(task: Task, facts: Facts, wait = WAIT): Promise<ShardProcess[]> {
  const [token, shards] = [randomBytes(32), new Map<number, ShardProcess>()];
  const identities = new WeakMap<object, string>();
  const server = createServer({
    ...TLS,
    handshakeTimeout: ANSWER,
    pskCallback(socket, identity) {
      identities.set(socket, identity);
      return token;
    },
  });
  const { tasks, meeting } = task;
  let late: NodeJS.Timeout | undefined;
  const all = new Promise<void>((resolve, reject) => {
    server.on("secureConnection", (socket) => {
      const [rank, digest, host] = (identities.get(socket) as string).split(" ");
      if (digest !== digestOf(facts))
        reject(new InputError(`--shards hosts: task ${rank} on ${host} was started otherwise than the first one`));
      if (shards.has(Number(rank))) socket.destroy();
      else shards.set(Number(rank), hostShard(socket, host));
      if (shards.size === tasks - 1) resolve();
    });
    late = setTimeout(() => {
      const came = `of ${tasks - 1} other tasks ${shards.size} came within ${wait} s`;
      reject(new InputError(`--shards hosts: ${came}; start all by one srun, with -o on a disk that all hosts share`));
    }, 1000 * wait);
  });
  try {
    await once(server.listen(0), "listening");
    const { port } = server.address() as AddressInfo;
    withFile(meeting, () => leave(meeting, { addresses: addresses(), port, token: token.toString("hex"), facts }));
    await all;
  } catch (error) {
    await Promise.all([...shards.values()].map((shard) => shard.end()));
    throw error;
  } finally {
    clearTimeout(late);
    server.close();
    rmSync(meeting, { force: true });
  }
  return [...shards].sort(([one], [other]) => one - other).map(([, shard]) => shard);
}

/** Whoever finds the file finds it whole, and nobody but its owner can read it. */
function leave(meeting: string, content: Meeting): void {
  const unfinished = `${meeting}.${process.pid}`;
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, JSON.stringify(content), { mode: 0o600, flag: "wx" });
  renameSync(unfinished, meeting);
}

function hostShard(socket: TLSSocket, host: string): ShardProcess {
  const line = new SocketLine<ToShard, FromShard>(socket, host);
  line.expectBeats();
  return {
    ...{ line, host },
    ended: () => line.ended,
    end: () => line.end(),
    renew: () =>
      new Promise((resolve) => {
        // What it still says is about what it was asked before.
        line.listen(
          () => {},
          () => resolve(),
        );
        line.onWord("renew", resolve);
        line.send("renew");
      }),
  };
}

/** This host as others may reach it, likely names first; the last one is for tasks of one host. */
function addresses(): string[] {
  const outward = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ internal }) => !internal));
  return [hostname(), ...outward.map(({ address }) => address), "127.0.0.1"];
}

const digestOf = (facts: Facts) => createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 16);

/**
 * Serves a shard to the first task until that one is done; why it could not until then, or null.
 * @throws InputError where the first one is not found, or has something else
 */
export async function serveFirst(
  task: Task,
  facts: Facts,
  settings: ShardSettings,
  wait = WAIT,
): Promise<string | null> {
  const line = await join(task, facts, wait);
  // The first task answers signals, and needs this one until its end.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  line.beat();
  const shard = startShard(task.local, settings);
  const why = await new Promise<string | null>((resolve) => {
    const relay = () => shard.line.listen((message) => line.send(message), resolve);
    relay();
    line.onWord("end", () => resolve(null));
    line.onWord("renew", async () => {
      await shard.renew();
      relay();
      line.send("renew");
    });
    line.listen((message) => shard.line.send(message), resolve);
  });
  line.destroy();
  await shard.end();
  return why;
}

async function join({ rank, host, meeting }: Task, facts: Facts, wait: number) {
  const until = performance.now() + 1000 * wait;
  let why: string;
  do {
    try {
      const found = read(meeting);
      const socket = await reach(found, `${rank} ${digestOf(facts)} ${host}`);
      const other = Object.keys(facts).find((name) => facts[name] !== found.facts[name]);
      if (other === undefined) return new SocketLine<FromShard, ToShard>(socket, "the first task");
      socket.destroy();
      const differ = `${other} is ${facts[other]} for task ${rank} on ${host}, and ${found.facts[other]} for the first one`;
      throw new InputError(`--shards hosts: ${differ}; start all tasks with the same command, rmap and Node.js`);
    } catch (error) {
      if (error instanceof InputError) throw error;
      why = (error as Error).message;
    }
    await sleep(PAUSE);
  } while (performance.now() < until);
  throw new InputError(
    `--shards hosts: task ${rank} on ${host} did not come to the first one within ${wait} s (${why})`,
  );
}

/** What the first task left, or another one in its place before: then nobody answers there, or has that token. */
function read(meeting: string): Meeting {
  const file = openSync(meeting, "r");
  try {
    const { mode, uid } = fstatSync(file);
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o077) !== 0))
      throw new InputError(
        `${meeting}: others can read it, or have written it; give -o a folder where files stay one's own`,
      );
    return JSON.parse(readFileSync(file, "utf8")) as Meeting;
  } finally {
    closeSync(file);
  }
}

async function reach({ addresses, port, token }: Meeting, identity: string): Promise<TLSSocket> {
  let why: unknown;
  for (const host of addresses) {
    const pskCallback = () => ({ psk: Buffer.from(token, "hex"), identity });
    const socket = connect({ ...TLS, host, port, timeout: ANSWER, pskCallback, checkServerIdentity: () => undefined });
    socket.once("timeout", () => socket.destroy(new Error(`${host} does not answer`)));
    try {
      await once(socket, "secureConnect");
      return socket.setTimeout(0);
    } catch (error) {
      why = /SSL/.test(`${(error as NodeJS.ErrnoException).code}`) ? new Error("who listens has another token") : error;
    }
  }
  throw why;
}
