/**
 * The attack of lab/notes/truth.md: every kind of lab/truth/attacks.ts, or those that are named, on a worker a core.
 *
 *     npm run build -w lab && RMAP_REVISION=$(git rev-parse HEAD) nice node dist-lab/source/lab/truth/attack.js [kind ...] [--count 1000000] [--from 1]
 *
 * --count is of all kinds together, each of which has its share, and --from is the first seed of each. Appends a row a kind to lab/results/truth-attacks.jsonl, and
 * says how to repeat what is false; exit code 1 when anything is.
 */
import { type ChildProcess, fork } from "node:child_process";
import { appendFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { provenance } from "../../src/rows/provenance.js";
import type { Tally } from "./attacks/attack.js";
import { ATTACKS, type AttackName, attack } from "./attacks.js";

/** Instances that a worker is given at once. */
const CHUNK = 200;

/** Seconds after which an instance is taken to have no end. */
const LIMIT = 30;

interface Seeds {
  readonly name: AttackName;
  readonly from: number;
  readonly count: number;
}

/** A seed begins, or the seeds given have ended. */
type Message = { readonly begins: number } | { readonly tally: Tally };

if (process.argv[2] === "worker") {
  process.on("message", async ({ name, from, count }: Seeds) => {
    const total: Tally = { instances: 0, violations: [], ended: {} };
    for (let seed = from; seed < from + count; seed++) {
      process.send?.({ begins: seed } satisfies Message);
      add(total, await attack(name, seed, 1));
    }
    process.send?.({ tally: total } satisfies Message);
  });
} else {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { count: { type: "string", default: "1000000" }, from: { type: "string", default: "1" } },
  });
  const names = Object.keys(ATTACKS) as AttackName[];
  for (const name of positionals)
    if (!names.includes(name as AttackName)) throw new Error(`${name}: give one of ${names.join(", ")}`);
  const chosen = positionals.length > 0 ? (positionals as AttackName[]) : names;
  const shares = chosen.reduce((sum, name) => sum + ATTACKS[name].share, 0);
  for (const name of chosen) {
    const { share, perSeed } = ATTACKS[name];
    await attackWith(name, Number(values.from), Math.ceil((Number(values.count) * share) / shares / perSeed));
  }
}

/** Attacks so many seeds on all cores, and appends the row. */
async function attackWith(name: AttackName, from: number, count: number): Promise<void> {
  const begin = performance.now();
  const total: Tally = { instances: 0, violations: [], ended: {} };
  const waiting: Seeds[] = [];
  const step = Math.max(1, Math.round(CHUNK / ATTACKS[name].perSeed));
  for (let seed = from; seed < from + count; seed += step)
    waiting.push({ name, from: seed, count: Math.min(step, from + count - seed) });
  let shown = 0;
  const took = (tally: Tally): void => {
    add(total, tally);
    for (; shown < total.violations.length; shown++) process.stderr.write(`VIOLATION ${total.violations[shown]}\n`);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, () => work(waiting, took)));
  const { violations, ...figures } = total;
  const row = {
    benchmark: "truth-attack",
    attack: name,
    what: ATTACKS[name].what,
    seeds: [from, from + count - 1],
    ...figures,
    violations: violations.length,
    seconds: Math.round((performance.now() - begin) / 1000),
    ...provenance(new Date()),
  };
  process.stderr.write(`${name}: ${total.instances} instances, ${violations.length} violations, ${row.seconds} s\n`);
  appendFileSync("lab/results/truth-attacks.jsonl", `${JSON.stringify(row)}\n`);
  if (violations.length > 0) process.exitCode = 1;
}

/** One worker process at a time, until nothing waits; a new one where an instance has no end. */
async function work(waiting: Seeds[], took: (tally: Tally) => void): Promise<void> {
  let child: ChildProcess | null = null;
  for (let seeds = waiting.shift(); seeds !== undefined; seeds = waiting.shift()) {
    child ??= fork(fileURLToPath(import.meta.url), ["worker"], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const outcome = await given(child, seeds);
    if (typeof outcome !== "number") {
      took(outcome);
      continue;
    }
    const { name, from, count } = seeds;
    const violations = [`${name}, seed ${outcome}: no end after ${LIMIT} s, or the end of its process`];
    took({ instances: 1, violations, ended: { "no end": 1 } });
    child.kill("SIGKILL");
    child = null;
    if (outcome > from) waiting.unshift({ name, from, count: outcome - from });
    if (outcome + 1 < from + count) waiting.unshift({ name, from: outcome + 1, count: from + count - outcome - 1 });
  }
  child?.disconnect();
}

/** What the seeds come to, or the one that has no end. */
function given(child: ChildProcess, seeds: Seeds): Promise<Tally | number> {
  return new Promise((resolve) => {
    let seed = seeds.from;
    const failed = (): void => done(seed);
    const timer = setTimeout(failed, 1000 * LIMIT);
    const heard = (message: Message): void => {
      if ("tally" in message) done(message.tally);
      else {
        seed = message.begins;
        timer.refresh();
      }
    };
    const done = (outcome: Tally | number): void => {
      clearTimeout(timer);
      child.off("message", heard).off("exit", failed);
      resolve(outcome);
    };
    child.on("message", heard).on("exit", failed);
    child.send(seeds);
  });
}

function add(total: Tally, { instances, violations, ended }: Tally): void {
  total.instances += instances;
  total.violations.push(...violations);
  for (const [how, n] of Object.entries(ended)) total.ended[how] = (total.ended[how] ?? 0) + n;
}
