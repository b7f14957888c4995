import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
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
  isAlive(): boolean;
  /** Ends it at once; its line is lost then. */
  end(): Promise<void>;
}

/**
 * Covers the other cards, then becomes the process: Dawn calls cards of one model by one name, takes the first of that name, and no variable of the environment chooses another
 * one (lab/notes/gpu.md). Where a card's device node is missing, its driver does not offer it.
 */
const ONE_CARD = 'while [ "$1" != -- ]; do mount --bind /dev/null "$1" || exit 1; shift; done; shift; exec "$@"';

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
export function startShard(shard: number, { device, threads, xLaps }: ShardSettings): ShardProcess {
  const program = [process.execPath, workerFile("#shard-worker"), device, `${threads}`, xLaps];
  const others = cards().filter((_, card) => card !== shard);
  const [command, ...args] =
    device === "gpu" && others.length > 0
      ? ["unshare", "--mount", "sh", "-c", ONE_CARD, "sh", ...others, "--", ...program]
      : program;
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "advanced" });
  let ended: string | null = null;
  child.once("error", (error) => {
    ended = error.message;
  });
  child.once("exit", (code, signal) => {
    ended ??= signal === null ? `its process ended with code ${code}` : `its process was ended by ${signal}`;
  });
  return {
    line: lineTo(child, () => ended),
    isAlive: () => ended === null,
    async end() {
      if (ended !== null) return;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
    },
  };
}

function lineTo(child: ChildProcess, ended: () => string | null): Line<ToShard, FromShard> {
  let before: Record<string, (message: FromShard) => void> = {};
  return {
    send(message) {
      // A process that is gone is heard of by its exit.
      child.send(toSend(message), () => {});
    },
    listen(hear, lost) {
      for (const [name, one] of Object.entries(before)) child.off(name, one);
      const gone = () => lost(ended() ?? "its process ended");
      before = { message: hear, exit: gone, error: gone };
      for (const [name, one] of Object.entries(before)) child.on(name, one);
      if (ended() !== null) gone();
    },
  };
}

/** @throws InputError where the shards cannot have a GPU each */
export function requireCards(shards: number): void {
  const why = whyNoCards(shards);
  if (why === null) return;
  throw new InputError(`--shards ${shards} --device gpu: ${why}; use --device cpu or software, or leave --shards out`);
}
