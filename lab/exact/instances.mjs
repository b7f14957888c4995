#!/usr/bin/env node
/**
 * The instance set of instances/: made again from generators and seeds, hashed, solved, proved.
 *
 *     npm run build && node lab/exact/instances.mjs --check [--small]       hashes and proofs, as CI does; exit code 1 where one does not hold
 *     node lab/exact/instances.mjs --solve [--only NAME] [--method exact] [--time 60]     every method on every instance: a row each in lab/results/exact.jsonl, and what is best in instances/
 *     node lab/exact/instances.mjs --table [--docs docs/benchmarks.md]           the table from rows alone
 *
 * Methods: the four ascents (500 iterations, a proof asked for), the bundle with cuts, `--exact`, and HiGHS alone on the integer program. Each has one thread and
 * at most `--time` seconds of it; times are CPU seconds.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import loadHighsModule from "highs";
import { ASCENTS, createCpuSteps, priceTracks, solve } from "rmap/map";
import { digestOf } from "../../dist/formats/digest.js";
import { formatProof, readProof } from "../../dist/formats/proof.js";
import { goBeyond } from "../../dist/map/exact/beyond-ascent.js";
import { linkBetween } from "../../dist/map/instance/instance.js";
import { checkExactly, checkProof } from "../../dist/map/proof/check.js";
import { fromFile, toFile } from "../../dist/map/proof/file-order.js";
import { roundDown } from "../../dist/map/proof/numbers.js";
import { loadHighs } from "../../dist/run/highs.js";
import { putTable } from "../docs-table.mjs";
import { importTypeScript } from "../truth/typescript.mjs";
import { appendExact, graphOf, now, rowsSoFar, secondsSince } from "./instance.mjs";

const { values: options } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    small: { type: "boolean", default: false },
    solve: { type: "boolean", default: false },
    table: { type: "boolean", default: false },
    only: { type: "string" },
    method: { type: "string" },
    time: { type: "string", default: "60" },
    rows: { type: "string", default: "lab/results/exact.jsonl" },
    docs: { type: "string" },
  },
});
const { lpModel } = await importTypeScript(new URL("../truth/highs.ts", import.meta.url));
const root = new URL("../../", import.meta.url);
const path = (file) => new URL(file, root).pathname;
const TIME = Number(options.time);
/** Columns up to which the integer program is given to HiGHS as it is, bytes of a proof that is committed, triplets that CI checks exactly. */
const HIGHS_COLUMNS = 120_000;
const PROOF_BYTES = 400_000;
const EXACT_TRIPLETS = 100_000;
/** Edges of an instance that is small. */
const SMALL = 12_000;

const files = [
  ...["demo", "wide", "crowded", "paper/n050-t050", "paper/n100-t100"].map((name) => `scenarios/${name}.json`),
  ...readdirSync(path("instances/scenarios")).map((file) => `instances/scenarios/${file}`),
];
const indexFile = path("instances/index.json");
const index = existsSync(indexFile) ? JSON.parse(readFileSync(indexFile, "utf8")) : [];
const proofFile = (name) => path(`instances/proofs/${name}.json`);
/** Tracks of an instance whose proof is too large: for each frame but the last, the place in the next frame that each detection goes on to, −1 where its track ends. */
const tracksFile = (name) => path(`instances/tracks/${name}.json`);
const wanted = (method) => options.method === undefined || options.method === method;

if (options.solve) {
  for (const file of files) {
    const name = basename(file, ".json");
    if (options.only === undefined || options.only === name) await solveAll(name, file);
  }
}
if (options.check) for (const entry of index) await check(entry);
if (options.table || options.solve) {
  const text = table();
  process.stdout.write(text);
  if (options.docs !== undefined) putTable(options.docs, "exact", text);
}

async function check({ name, file, edges, sha256, lowerBound, upperBound, proof }) {
  if (options.small && edges > SMALL) return;
  const fail = (what) => {
    process.exitCode = 1;
    process.stdout.write(`${name}: ${what}\n`);
  };
  const graph = await graphOf(path(file));
  if (digestOf(graph) !== sha256) return fail("is another instance than the one that was hashed");
  if (!proof) {
    const priced = priceTracks(graph, tracksOf(graph, JSON.parse(readFileSync(tracksFile(name), "utf8"))));
    if (priced.status === "forbidden") return fail("its tracks are not allowed");
    if (priced.cost > upperBound) return fail(`its tracks cost ${priced.cost}, more than the index says`);
    return process.stdout.write(`${name}: hash, tracks\n`);
  }
  const found = readProof(proofFile(name));
  if (found.instance !== sha256) return fail("the proof is about another instance");
  const stored = fromFile(graph, found);
  const checked = checkProof(graph, stored.tracks, stored.proof);
  if (checked.valid === false) return fail(checked.why);
  if (checked.lowerBound < lowerBound || checked.upperBound > upperBound)
    return fail("proves less than the index says");
  if (graph.triplets.count > EXACT_TRIPLETS) return process.stdout.write(`${name}: hash, proof in f64\n`);
  const exactly = checkExactly(graph, stored.tracks, stored.proof);
  if (exactly.valid === false) return fail(exactly.why);
  if (roundDown(exactly.lowerBound, exactly.shift) < lowerBound) return fail("proves less without rounding");
  process.stdout.write(`${name}: hash, proof in f64 and without rounding\n`);
}

async function solveAll(name, file) {
  const graph = await graphOf(path(file));
  const sha256 = digestOf(graph);
  const { edges, frameStart, frames } = graph;
  const size = { detections: frameStart[frames], edges, triplets: graph.triplets.count };
  const record = (method, begin, { lowerBound, upperBound, status, cuts = 0, leaves = 0 }) => {
    const finite = (value) => (Number.isFinite(value) ? value : null);
    const gap = (100 * (upperBound - lowerBound)) / Math.abs(upperBound);
    const row = appendExact(options.rows, graph, {
      name,
      method,
      lowerBound: finite(lowerBound),
      upperBound: finite(upperBound),
      gapPercent: finite(gap),
      status,
      cuts,
      leaves,
      cpuSeconds: secondsSince(begin),
    });
    process.stderr.write(`${name} ${method}: ${gap} %, ${row.cpuSeconds} s, ${status}\n`);
  };

  for (const ascent of /** @type {(keyof typeof ASCENTS)[]} */ (Object.keys(ASCENTS)).filter(wanted)) {
    const begin = now();
    const steps = createCpuSteps(graph, { threads: 1, now });
    record(ascent, begin, await solve(graph, steps, { ascent, iterations: 500, gap: 0, time: TIME, now }));
  }
  const highs = await loadHighs();
  for (const method of ["bundle with cuts", "exact"].filter(wanted)) {
    const begin = now();
    const steps = createCpuSteps(graph, { threads: 1, now });
    const first = await solve(graph, steps, { ascent: "bundle", iterations: 2000, gap: 0, time: TIME, now });
    const left = TIME - (now() - begin);
    const limits = {
      mostTriplets: 300_000,
      mostLeaves: Number.POSITIVE_INFINITY,
      gap: 0,
      time: left,
      iterations: 2000,
      now,
    };
    const open = method === "exact" ? highs.open : null;
    const beyond =
      first.status === "optimal"
        ? null
        : await goBeyond(graph, first.proof.stages[0], first.tracks, { load: async () => open, ...limits });
    const best = beyond ?? first;
    const status = beyond?.optimal === true ? "optimal" : (beyond?.outcome ?? first.status);
    record(method, begin, { ...best, status });
    if (method === "exact") keepBest(name, file, sha256, size, graph, best);
  }
  if (wanted("HiGHS alone") && size.edges + size.triplets <= HIGHS_COLUMNS) {
    const solver = await /** @type {any} */ (loadHighsModule)();
    const begin = now();
    let found = { Status: "failed" };
    try {
      found = solver.solve(lpModel(graph, true), {
        time_limit: TIME,
        mip_rel_gap: 0,
        mip_abs_gap: 0,
        output_flag: false,
      });
    } catch (error) {
      process.stderr.write(`${name} HiGHS: ${error instanceof Error ? error.message : error}\n`);
    }
    const value = Number.isFinite(found.ObjectiveValue) ? found.ObjectiveValue : Number.POSITIVE_INFINITY;
    const solved = found.Status === "Optimal";
    // Its word to its tolerance, and not a certificate; without a proof it names no bound here.
    record("HiGHS alone", begin, {
      lowerBound: solved ? value : Number.NEGATIVE_INFINITY,
      upperBound: value,
      status: found.Status,
    });
  }
}

/** The best bound and tracks, and the proof where it is small. */
function keepBest(name, file, sha256, size, graph, { lowerBound, upperBound, tracks, proof }) {
  const before = index.findIndex((entry) => entry.name === name);
  const known = before < 0 ? null : index[before];
  const kept = known?.proof === true || existsSync(tracksFile(name));
  if (kept && known.sha256 === sha256 && known.upperBound - known.lowerBound <= upperBound - lowerBound) return;
  const checked = checkProof(graph, tracks, proof);
  if (checked.valid === false) throw new Error(`${name}: ${checked.why}`);
  const text = formatProof({
    instance: sha256,
    overrides: {},
    lowerBound: checked.lowerBound,
    upperBound: checked.upperBound,
    ...toFile(graph, { tracks, proof }),
  });
  const small = text.length <= PROOF_BYTES;
  mkdirSync(path("instances/proofs"), { recursive: true });
  mkdirSync(path("instances/tracks"), { recursive: true });
  rmSync(small ? tracksFile(name) : proofFile(name), { force: true });
  if (small) writeFileSync(proofFile(name), text);
  else writeFileSync(tracksFile(name), `${JSON.stringify(placesOf(graph, tracks))}\n`);
  const bounds = {
    lowerBound: small ? checked.lowerBound : Math.min(lowerBound, checked.lowerBound),
    upperBound: checked.upperBound,
  };
  const entry = {
    name,
    file,
    ...size,
    sha256,
    ...bounds,
    optimal: checked.optimal,
    proof: small,
  };
  if (before < 0) index.push(entry);
  else index[before] = entry;
  writeFileSync(indexFile, `${JSON.stringify(index, null, 2)}\n`);
}

/** By frame, where each detection goes on in the next one. */
function placesOf({ frames, frameStart, head }, tracks) {
  return Array.from({ length: frames - 1 }, (_, p) =>
    Array.from(tracks.subarray(frameStart[p], frameStart[p + 1]), (e) => (e < 0 ? -1 : head[e] - frameStart[p + 1])),
  );
}

function tracksOf(graph, places) {
  const { frames, frameStart } = graph;
  const tracks = new Int32Array(frameStart[frames]).fill(-1);
  places.forEach((row, p) => {
    row.forEach((place, k) => {
      const i = frameStart[p] + k;
      if (place >= 0) tracks[i] = linkBetween(graph, i, frameStart[p + 1] + place);
      if (place >= 0 && tracks[i] < 0) throw new Error(`frame ${p}, detection ${k}: no link goes to ${place}`);
    });
  });
  return tracks;
}

function table() {
  const rows = rowsSoFar(options.rows).filter(({ benchmark }) => benchmark === "exact");
  const methods = [...Object.keys(ASCENTS), "bundle with cuts", "exact", "HiGHS alone"];
  const names = [...new Set(rows.map(({ name }) => name))];
  const cell = (name, method) => {
    const row = rows.filter((one) => one.name === name && one.method === method).pop();
    if (row === undefined) return method === "HiGHS alone" ? "too large" : "–";
    const proved = method === "HiGHS alone" ? "solved" : "proved";
    const said =
      row.gapPercent === 0 || row.status === "optimal"
        ? proved
        : row.gapPercent === null
          ? "open"
          : `${Number(row.gapPercent.toPrecision(2))} %`;
    const tree = row.leaves > 0 ? ` · ${row.leaves} ${row.leaves === 1 ? "leaf" : "leaves"}` : "";
    return `${said}${tree} · ${row.cpuSeconds.toFixed(row.cpuSeconds < 10 ? 1 : 0)} s`;
  };
  const lines = names.map((name) => {
    const { edges, triplets } = rows.filter((one) => one.name === name).pop();
    return `| ${name} | ${edges} | ${triplets} | ${methods.map((method) => cell(name, method)).join(" | ")} |`;
  });
  return `| instance | edges | triplets | ${methods.join(" | ")} |\n|---|---|---|${methods.map(() => "---").join("|")}|\n${lines.join("\n")}\n`;
}
