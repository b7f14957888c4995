// Shards that are killed, requeued and run twice at random: rows for lab/results/shard-trials.jsonl.
//     node lab/shards/trials.mjs [TRIALS] [AT ONCE] [SEED] >> lab/results/shard-trials.jsonl
// A trial makes a sweep of 6 runs, or a recording of 9 windows, in three shards. A process is killed after a random time (SIGKILL), told to end as Slurm tells it
// (SIGTERM), or has another one of the same shard beside it; then the shard is made again as often as it ends otherwise than well, and what is joined is compared with
// what one process makes: the same rows but for times and machine, or the same tracks, windows and bound to the byte. A trial that differs keeps its folder.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { randomStreams } from "../../dist/core/random.js";
import { provenance } from "../../dist/rows/provenance.js";

const [trials = 200, atOnce = 1, seed = 1] = process.argv.slice(2).map(Number);
const SHARDS = [1, 2, 3];
/** Further tries of a shard: the last ones are left alone. */
const TRIES = 6;
const DISTURBED = 3;

const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "trials-"));
const [random] = randomStreams(seed);

function begin(args, cwd) {
  const child = spawn(process.execPath, [program, ...args], { cwd, stdio: ["ignore", "ignore", "pipe"] });
  let heard = "";
  child.stderr.on("data", (text) => {
    heard += text;
  });
  const ended = new Promise((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, heard }));
  });
  return { child, ended };
}

const sweep = {
  name: "small",
  base: { name: "small", simulation: { targets: 8, frames: 8 }, solve: { gap: 0, iterations: 50 } },
  grid: { cost: ["spline", "likelihood"], "gate.epsilon": [1, 3, 8] },
  seeds: [1],
};

/** Four targets that wander, one in sixteen of their detections missing. */
function recording(frames) {
  const targets = Array.from({ length: 4 }, (_, n) => ({ x: 9 * n, y: 0, vx: 0.3, vy: 0 }));
  let text = "# dt=1\nframe,x,y\n";
  for (let p = 0; p < frames; p++) {
    for (const target of targets) {
      target.vx = 0.9 * target.vx + 0.2 * random.normal();
      target.vy = 0.9 * target.vy + 0.2 * random.normal();
      target.x += target.vx;
      target.y += target.vy;
      if (random.uniform(0, 16) > 1) text += `${p},${target.x.toFixed(4)},${target.y.toFixed(4)}\n`;
    }
  }
  return text;
}

const rowsOf = (file) =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const { times, date, memory, ...row } = JSON.parse(line);
      return JSON.stringify(row);
    });

const solve = ["solve", "d.csv", "--window", "6", "--threads", "1", "-q", "-o", "out"];
const KINDS = {
  sweep: {
    input: ["s.json", JSON.stringify(sweep)],
    shard: (k) => ["sweep", "s.json", "--jobs", "1", "-q", "--shard", `${k}/3`, "--append", `rows.${k}.jsonl`],
    whole: ["sweep", "s.json", "--jobs", "1", "-q", "--append", "rows.jsonl"],
    join: ["merge", "s.json", ...SHARDS.map((k) => `rows.${k}.jsonl`), "-o", "rows.jsonl"],
    // Rows of one process come as they are made, those of merge in the order of the design.
    made: (cwd) => rowsOf(join(cwd, "rows.jsonl")).sort(),
  },
  windows: {
    input: ["d.csv", recording(54)],
    first: [...solve, "--shard", "0/3"],
    shard: (k) => [...solve, "--shard", `${k}/3`],
    whole: solve,
    join: solve,
    made(cwd) {
      const read = (name) => readFileSync(join(cwd, "out", name), "utf8");
      const { lowerBound, upperBound, iterations } = JSON.parse(read("result.json"));
      return [
        read("tracks.csv"),
        ...read("windows.jsonl").trim().split("\n"),
        JSON.stringify({ lowerBound, upperBound, iterations }),
      ];
    },
  },
};

async function reference(kind) {
  const { input, whole, made, shard, first } = KINDS[kind];
  const cwd = join(work, `${kind}-whole`);
  cpSync(mkdtempSync(join(work, "empty-")), cwd, { recursive: true });
  writeFileSync(join(cwd, input[0]), input[1]);
  const began = performance.now();
  // As long as a shard takes, about: until then a process may be disturbed.
  await begin(first ?? shard(1), cwd).ended;
  const span = performance.now() - began;
  await begin(whole, cwd).ended;
  return { made: made(cwd), span };
}

/** Makes a shard until it ends well; what was done to its processes. */
async function makeShard(args, cwd, span, chance) {
  const done = [];
  for (let n = 0; n < TRIES; n++) {
    const processes = [begin(args, cwd)];
    const event = n < DISTURBED ? chance() : "none";
    if (event === "twice") processes.push(begin(args, cwd));
    if (event === "kill" || event === "requeue") {
      await Promise.race([setTimeout(random.uniform(0, span)), processes[0].ended]);
      processes[0].child.kill(event === "kill" ? "SIGKILL" : "SIGTERM");
    }
    const ends = await Promise.all(processes.map(({ ended }) => ended));
    const late = event !== "twice" && event !== "none" && ends[0].code === 0;
    done.push(late ? "none" : event);
    const other = ends.find(({ code, signal }) => signal === null && ![0, 130, 143].includes(code));
    if (other !== undefined) done.push(`code ${other.code}: ${other.heard.trim().split("\n").at(-1)}`);
    if (ends.every(({ code }) => code === 0)) return done;
  }
  return [...done, "gave up"];
}

async function trial(number, references) {
  const kind = number % 2 === 0 ? "sweep" : "windows";
  const { input, first, shard, join: joined, made } = KINDS[kind];
  const { made: expected, span } = references[kind];
  const cwd = mkdtempSync(join(work, `${number}-`));
  writeFileSync(join(cwd, input[0]), input[1]);
  const chance = () => ["kill", "requeue", "twice", "none"][Math.floor(random.uniform(0, 4))];
  const began = performance.now();
  const before = first === undefined ? [] : await makeShard(first, cwd, span, chance);
  const done = await Promise.all(SHARDS.map((k) => makeShard(shard(k), cwd, span, chance)));
  const { code, heard } = await begin(joined, cwd).ended;
  const found = code === 0 ? made(cwd) : [];
  const count = (of, among) => of.filter((line) => !among.includes(line)).length;
  const row = {
    ...{ benchmark: "shard-trials", kind, trial: number, events: { before, shards: done } },
    code,
    lost: count(expected, found),
    doubled: found.length - new Set(found).size,
    other: count(found, expected),
    seconds: +((performance.now() - began) / 1000).toFixed(2),
    ...(code !== 0 && { error: heard.trim() }),
    seed,
    ...provenance(new Date()),
  };
  console.log(JSON.stringify(row));
  const good = code === 0 && row.lost + row.doubled + row.other === 0;
  if (good) rmSync(cwd, { recursive: true });
  return good;
}

const references = { sweep: await reference("sweep"), windows: await reference("windows") };
let [next, bad] = [0, 0];
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (next < trials) if (!(await trial(next++, references))) bad++;
  }),
);
console.error(`${trials} trials, ${bad} differ${bad > 0 ? `: ${work}` : ""}`);
if (bad === 0) rmSync(work, { recursive: true });
process.exitCode = bad === 0 ? 0 : 1;
