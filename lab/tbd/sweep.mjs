/**
 * Fig. 3 and 4 of Mazurek 2010 as they are printed: his sixteen variants and our two over 8 widths and 16 heights of a workgroup and D = 1 to 20, images of 1024² and 13 vectors. Of a
 * variant these are 8 · 16 · 20 = 2,560 points; a row has the 20 of a variant and a workgroup, so that there are 18 · 128 = 2,304 rows.
 *
 *     npm run build && node lab/tbd/sweep.mjs [--device gpu|software] [--rows lab/results/tbd-sweep.jsonl] [--size 1024] [--seconds 400] [--most 20] [--groups 8x1,64x16] [--processes 14]
 *     node lab/tbd/sweep.mjs --table [--rows …] [--size 1024] [--docs PAGE.md]      the best time of each variant at each D, and the paper's claims
 *
 * After --seconds it stops; the next call goes on with what has no row of this device and size, workgroups from all over the field first. A pass is timed as one, with the dispatches of
 * all its vectors: the median of 5 repetitions, and of 3 where a workgroup has few threads and passes are long. At every point the state after a pass is compared with the twin's
 * on the device. A kernel for each vector, depth and workgroup is 133,000 kernels of a variant that is unrolled, and a device compiles few at a time: several processes compile, and
 * take turns on the device.
 */
import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { putTable } from "../docs-table.mjs";
import { keepRow, rowsOf } from "../rows.mjs";
import { tablesOf } from "./claims.mjs";
import { PAPER_VARIANTS, parseVariant, variantName } from "./variant.mjs";

const { values: flags } = parseArgs({
  options: {
    device: { type: "string", default: "gpu" },
    rows: { type: "string", default: "lab/results/tbd-sweep.jsonl" },
    size: { type: "string", default: "1024" },
    seconds: { type: "string", default: "400" },
    most: { type: "string", default: "20" },
    groups: { type: "string" },
    processes: { type: "string", default: "14" },
    table: { type: "boolean", default: false },
    docs: { type: "string" },
  },
});
const side = Number(flags.size);
const workgroups =
  flags.groups?.split(",").map((text) => text.split("x").map(Number)) ??
  Array.from({ length: 128 }, (_, n) => [8 * (1 + (n >> 4)), 1 + (n & 15)]);
/** Numbers in an order in which the first few are spread over all: by their bits, the last one first. */
const spread = (list) => {
  const reversed = (n) => Array.from({ length: 8 }, (_, bit) => ((n >> bit) & 1) << (7 - bit)).reduce((a, b) => a | b);
  return list
    .map((item, n) => ({ item, at: reversed(n) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
};
const variants = [...PAPER_VARIANTS, ...["all", "in-place"].map(parseVariant)];
const rows = existsSync(flags.rows) ? rowsOf(flags.rows).filter(({ width }) => width === side) : [];
const now = () => performance.now() / 1000;
const begun = now();

if (flags.docs !== undefined) putTable(flags.docs, "sweep", table());
else if (flags.table) console.log(table());
else await measure();

/** Gives work to processes (sweep-process.mjs), lets one at a time onto the device, and keeps their rows. */
async function measure() {
  const known = new Set(rows.map((row) => keyOf(row.device, row.scheme, row.workgroup)));
  const all = spread(workgroups).flatMap((workgroup) => variants.map((variant) => ({ variant, workgroup })));
  // Rows with few kernels, and those with one for each vector and depth, of which those of whole warps come first: a third of the processes begin with the former, so that the device and
  // the compilers have work all the time.
  /** @type {any[][] | null} */
  let wanted = null;
  const children = [];
  const nextOf = (child) => {
    const [first, second] = 3 * children.indexOf(child) < children.length ? wanted : wanted.toReversed();
    return first.shift() ?? second.shift() ?? null;
  };
  // No process measures while another one still uploads.
  let preparing = Number(flags.processes);
  const early = [];
  let [done, busySeconds, turnBegan] = [0, 0, 0];
  const waiting = [];
  let holder = null;
  let left = now();
  const isOver = () => now() - begun > Number(flags.seconds);
  const give = () => {
    if (holder !== null || waiting.length === 0) return;
    holder = waiting.shift();
    turnBegan = now();
    holder.send({ turn: isOver() ? null : now() - left });
    if (isOver()) leave();
  };
  const leave = () => {
    busySeconds += now() - turnBegan;
    left = now();
    holder = null;
    give();
  };
  const answer = (child, message) => {
    if (message.device !== undefined) {
      const { device, threads } = message;
      wanted ??= halves(
        all.filter(
          ({ variant, workgroup }) =>
            workgroup[0] * workgroup[1] <= threads && !known.has(keyOf(device, variantName(variant), workgroup)),
        ),
      );
      preparing--;
      if (preparing === 0) for (const one of early) answer(one, { next: true });
    } else if (message.next) {
      if (preparing > 0) early.push(child);
      else child.send({ job: isOver() ? null : nextOf(child) });
    } else if (message.turn) {
      waiting.push(child);
      give();
    } else if (message.row) {
      keepRow(flags.rows, message.row);
      done++;
      leave();
    }
  };
  const script = new URL("sweep-process.mjs", import.meta.url);
  const ended = Array.from({ length: Number(flags.processes) }, () => {
    const child = fork(script, [flags.device, flags.size, flags.most]);
    children.push(child);
    child.on("message", (message) => answer(child, message));
    return new Promise((resolve, reject) => {
      child.on("exit", (code) => (code === 0 ? resolve(0) : reject(new Error(`a process ended with ${code}`))));
    });
  });
  await Promise.all(ended);
  console.log(
    `${done} rows in ${(now() - begun).toFixed(0)} s, the device in use for ${busySeconds.toFixed(0)} s; ${wanted?.flat().length ?? all.length} are left for the next call`,
  );
}

/** @param {any[]} jobs */
function halves(jobs) {
  const hasMany = ({ variant }) => variant.kernel === "constant" && variant.body === "unrolled";
  const isWhole = ({ workgroup }) => workgroup[0] % 32 === 0;
  const many = jobs.filter(hasMany);
  return [jobs.filter((job) => !hasMany(job)), [...many.filter(isWhole), ...many.filter((job) => !isWhole(job))]];
}

function keyOf(device, scheme, workgroup) {
  return `${device} ${scheme} ${workgroup}`;
}

function table() {
  const devices = [...new Set(rows.map((row) => row.device))];
  return devices.map((device) => tablesOf(rows.filter((row) => row.device === device))).join("\n");
}
