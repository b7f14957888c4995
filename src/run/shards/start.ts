import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { hostname } from "node:os";
import { InputError } from "../../core/errors.js";
import { workerFile } from "../../core/package-file.js";
import type { DeviceChoice } from "../../gpu/adapter.js";
import type { LapMethod } from "../../lap/method.js";
import type { FromShard, Line, ToShard } from "../../map/shards/line.js";
import { toSend } from "./arrays.js";

/** Where shards run. */
export interface ShardSettings {
  readonly device: Exclude<DeviceChoice, "auto">;
  /** Of each. */
  readonly threads: number;
  readonly xLaps: LapMethod;
}

/** The process of a shard, and the line to it. */
export interface ShardProcess {
  readonly line: Line<ToShard, FromShard>;
  /** Where it runs. */
  readonly host: string;
  /** Why there is none any more; null while there is one. */
  ended(): string | null;
  /** Has a process begin anew, where one can: it may wait for another one that was lost. */
  renew(): Promise<void>;
  /** Ends it at once; its line is lost then. */
  end(): Promise<void>;
}

/**
 * Covers the other cards, then becomes the process: Dawn calls cards of one model by one name, takes the first of that name, and no variable of the environment chooses another
 * one (lab/notes/gpu.md). Where a card's device node is missing, its driver does not offer it.
 */
const ONE_CARD = 'while [ "$1" != -- ]; do mount --bind /dev/null "$1" || exit 1; shift; done; shift; exec "$@"';

const NOBODY = [(_: FromShard) => {}, (_: string) => {}] as const;

/** The device nodes of the cards, in order. */
export function cards(): string[] {
  const numbers = readdirSync("/dev").flatMap((name) => /^nvidia(\d+)$/.exec(name)?.[1] ?? []);
  return numbers.sort((a, b) => Number(a) - Number(b)).map((number) => `/dev/nvidia${number}`);
}

/** What keeps this process from giving a card to each of so many shards; null where nothing does. */
export function whyNoCards(shards: number): string | null {
  const found = cards().length;
  if (found < shards) return `there are ${found} device nodes /dev/nvidia0, … for ${shards} shards`;
  return process.getuid?.() === 0 ? null : "only root can give each shard a card, by a mount namespace";
}

/** Starts the process of shard number `shard`, from 0; on GPUs it has the card of that number. */
export function startShard(shard: number, { device, threads, xLaps }: ShardSettings, host = hostname()): ShardProcess {
  const program = [process.execPath, workerFile("#shard-worker"), device, `${threads}`, xLaps];
  const others = cards().filter((_, card) => card !== shard);
  const [command, ...args] =
    device === "gpu" && others.length > 0
      ? ["unshare", "--mount", "sh", "-c", ONE_CARD, "sh", ...others, "--", ...program]
      : program;
  let child: ChildProcess;
  let ended: string | null;
  let [hear, lost] = NOBODY;
  const begin = () => {
    const begun = spawn(command, args, { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "advanced" });
    [child, ended] = [begun, null];
    const gone = (why: string) => {
      if (child !== begun) return;
      ended ??= why;
      lost(ended);
    };
    begun.on("message", (message: FromShard) => child === begun && hear(message));
    begun.once("error", ({ message }) => gone(message));
    begun.once("exit", (code, signal) =>
      gone(signal === null ? `its process ended with code ${code}` : `its process was ended by ${signal}`),
    );
  };
  const end = async () => {
    if (ended !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  };
  begin();
  return {
    line: {
      send(message) {
        // A process that is gone is heard of by its exit.
        child.send(toSend(message), () => {});
      },
      listen(newHear, newLost) {
        [hear, lost] = [newHear, newLost];
        if (ended !== null) lost(ended);
      },
    },
    ...{ host, end },
    ended: () => ended,
    async renew() {
      [hear, lost] = NOBODY;
      await end();
      begin();
    },
  };
}

/** @throws InputError where the shards cannot have a GPU each */
export function requireCards(shards: number): void {
  const why = whyNoCards(shards);
  if (why === null) return;
  throw new InputError(`--shards ${shards} --device gpu: ${why}; use --device cpu or software, or leave --shards out`);
}
