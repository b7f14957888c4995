/** Options that say where and how long the work runs. They change how soon there is a result, and no result. */

import { InvalidArgumentError } from "commander";
import { usableCores } from "../../core/cores.js";
import type { Shard } from "../../core/shard.js";
import { MOST_PARALLEL, SETTINGS } from "../../formats/settings.js";
import { DEVICE_CHOICES } from "../../gpu/adapter.js";
import { LAP_METHODS } from "../../lap/method.js";
import { choice, option, toggle } from "../declaration/declaration.js";
import { integer, positive, setting } from "./values.js";

/** What "auto" does with ascents; elsewhere a GPU is faster at any size. */
export const AUTO_SOLVES = "takes the CPU or a GPU, whichever rmap devices --for INPUT expects to be faster";

export const device = (what: string, auto = "takes a GPU if there is one") =>
  choice("--device <name>", `where ${what}; auto ${auto}`, DEVICE_CHOICES).or("auto");

/** For work whose only engine is that of a GPU. */
export const gpuDevice = (what: string) =>
  choice("--device <name>", `GPU on which ${what}`, ["auto", "gpu", "software"]).or("auto");

export const threads = (of = "", count = Math.min(usableCores(), MOST_PARALLEL)) =>
  option("--threads <n>", `worker threads${of}; results do not depend on them`, integer(1, MOST_PARALLEL)).or(count);

export const jobs = () =>
  option("--jobs <n>", "runs at a time, each in a process of its own", integer(1, MOST_PARALLEL)).or(usableCores());

export const seed = (of: string) => option("--seed <n>", `seed of ${of}`, setting(SETTINGS.seed));

export const profile = () =>
  toggle("--profile", "time every kernel on a GPU by its own clock, which takes a little longer");

export const xLaps = () =>
  choice(
    "--x-laps <kernels>",
    "kernels of the X-LAPs on a GPU: sparse, on the links alone; block-hungarian, on matrices; auto, the default: matrices where frame pairs are small and dense",
    LAP_METHODS,
  );

export const time = (of: string) => option("--time <seconds>", of, positive);

/**
 * For work that processes which know nothing of each other share.
 * @param first 0 where that one does what all others need
 */
export const shard = (makes: string, first: 0 | 1 = 1) =>
  option("--shard <k/n>", `make shard k of n alone: ${makes}`, (text): Shard => {
    const [number, of] = (/^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? []).slice(1).map(Number);
    if (number >= first && number <= of && of > 0) return { number, of };
    throw new InvalidArgumentError(`Give k/n with k from ${first} to n, as in 2/16.`);
  });

export const queue = (what: string) =>
  option("--queue <url>", `${what} at this Redis server: redis://HOST[:PORT]`, (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== "") return text;
    throw new InvalidArgumentError("Give the address of a Redis server: redis://HOST[:PORT].");
  });
