/**
 * Times the X-LAPs of a problem on a GPU by its own clock: cold at v = 0, then warm after each of the first ten steps of an ascent,
 * the costs being those that the step left. A step of rmap and polyak is an iteration; one of bundle two passes over the pairs, up to
 * the next evaluation. The time is that of the LAPs of all frame pairs, of spreading their costs over the matrices included.
 *
 *     npm run build && node lab/lap/warm.mjs [gpu|software] [--ascents rmap,polyak,bundle] [--steps 10] [PROBLEM …]
 *
 * PROBLEM as in lab/ascent/ascent.mjs. Prints one JSON line per problem and ascent, progress on stderr. Every answer is certified
 * in f64 on the f32 costs as they lie on the device, once for bits that come again.
 */
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { certifyLap } from "rmap/lap";
import { ASCENTS } from "rmap/map";
import { createLinkPricer } from "../../dist/costs/gpu-pricing.js";
import { BusyWork } from "../../dist/experiments/bench/timing.js";
import { readStorage } from "../../dist/gpu/buffers.js";
import { openSession } from "../../dist/gpu/open-session.js";
import { createGpuSteps } from "../../dist/map/gpu/gpu-steps.js";
import { provenance } from "../../dist/rows/provenance.js";
import { costOfTruth, makeProblem, summary } from "../ascent/problems.mjs";
import { deviceNamed } from "../device.mjs";

const REPETITIONS = 5;
/** Relative to the cost of a LAP's links: what f32 leaves, and the slack of the ascent's X-LAPs (lab/notes/gpu.md). */
const MOST_GAP = 1e-4;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ascents: { type: "string", default: "rmap,polyak,bundle" },
    steps: { type: "string", default: "10" },
  },
});
const [device = "gpu", ...chosen] = positionals;
const problems = chosen.length > 0 ? chosen : ["gated:300,300", "authors:100,100", "authors:200,200"];
const stepCount = Number(values.steps);
const now = () => performance.now() / 1000;
const begin = now();
const say = (text) => process.stderr.write(`# ${(now() - begin).toFixed(1)} s  ${text}\n`);
const seed = 1;
/** What tells one answer from another, costs included. */
const ANSWER = ["v", "delta", "linkOfRow", "rowDual", "columnDual"];
const require = createRequire(import.meta.url);

const session = await openSession(deviceNamed(device));
if (session === null) throw new Error(`${device} names no GPU`);
if (!session.hasTimestamps) throw new Error(`${session.description.name} has no timestamps`);
const busy = await BusyWork.create(session, now);
for (const problem of problems) {
  const { graph, pricing, target } = await makeProblem(problem, seed, availableParallelism());
  const priceLinks = pricing && (await createLinkPricer(session, pricing));
  const steps = await createGpuSteps(session, graph, { now, profile: true, xLaps: "block-hungarian", priceLinks });
  say(`${problem}: ready`);
  for (const ascent of values.ascents.split(",")) {
    console.log(JSON.stringify(await measure(problem, graph, steps, ascent, costOfTruth(graph, target))));
    say(`${problem}, ${ascent}: done`);
  }
  await steps.close();
}
busy.destroy();
await session.close();

async function measure(problem, graph, steps, ascent, upperBound) {
  /** By evaluation: milliseconds of each repetition, and the last answer, which is certified. */
  const evaluations = Array.from({ length: stepCount + 1 }, () => ({ times: [], answer: null }));
  let gap = 0;
  for (let repetition = 0; repetition <= REPETITIONS; repetition++) {
    await busy.run();
    await steps.reset();
    let count = 0;
    /** A step that evaluates, with the X-LAPs in it timed and its answer certified. */
    const timed = (step) => async () => {
      if (count > stepCount) return step();
      // Brings in what was recorded before, with its times.
      await steps.read();
      const before = steps.times.xLap;
      const result = await step();
      const evaluation = evaluations[count++];
      if (repetition > 0) evaluation.times.push(1000 * (steps.times.xLap - before));
      const answer = await steps.read();
      if (!sameAnswer(answer, evaluation.answer)) {
        evaluation.answer = copyOf(answer);
        gap = Math.max(gap, worstGap(graph, await lapsOf(graph, steps.memory)));
      }
      return result;
    };
    const evaluate = timed(() => steps.evaluate());
    const evaluateBundle = timed(() => steps.evaluateBundle());
    const done = async () => count > stepCount;
    const control = { upperBound: () => upperBound, bounded: done, iterated: done };
    await ASCENTS[ascent]({ ...steps, boundEvery: 1, evaluate, evaluateBundle }, control);
  }
  if (!(gap <= MOST_GAP)) throw new Error(`${problem}, ${ascent}: gap ${gap}; no time is reported`);

  const [cold, ...warm] = evaluations.flatMap(({ times }) => (times.length > 0 ? [times] : []));
  const { frames, frameStart, links, triplets } = graph;
  const { name, driver } = session.description;
  return {
    benchmark: "lap-warm",
    device: name,
    problem,
    ascent,
    size: frameStart[1],
    laps: frames - 1,
    entries: links,
    storage: triplets.kind,
    milliseconds: { cold: summary(cold), warm: summary(warm.flat()), steps: warm.map(summary) },
    gap,
    seed,
    driver,
    versions: { webgpu: require("webgpu/package.json").version },
    ...provenance(new Date()),
  };
}

/** Costs, duals and matching of the X-LAPs as they lie on the device; each as long as edges, or as detections. */
async function lapsOf({ frames, frameStart, edges }, { work, laps }) {
  const [reduced, dual, columnOfRow] = await readStorage(session, [
    work.buffer("reduced"),
    laps.dual,
    laps.columnOfRow,
  ]);
  const [rows, detections] = [frameStart[frames - 1], frameStart[frames]];
  const duals = new Float32Array(dual);
  const columnDual = new Float32Array(detections);
  columnDual.set(duals.subarray(rows, rows + detections - frameStart[1]), frameStart[1]);
  return {
    reduced: new Float32Array(reduced, 0, edges),
    rowDual: duals.subarray(0, rows),
    columnDual,
    columnOfRow: new Int32Array(columnOfRow, 0, rows),
  };
}

function copyOf(answer) {
  return Object.fromEntries(ANSWER.map((name) => [name, answer[name].slice()]));
}

function sameAnswer(answer, other) {
  const bytes = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength);
  return other !== null && ANSWER.every((name) => bytes(answer[name]).equals(bytes(other[name])));
}

/** The largest gap of the X-LAPs on the device, relative to the costs of their links; Infinity where one is not solved. */
function worstGap({ frames, frameStart, edgeStart, linkStart, head, links }, state) {
  const cost = new Float64Array(state.reduced);
  const column = new Uint32Array(links);
  let worst = 0;
  for (let p = 0; p + 1 < frames; p++) {
    const [from, to, end] = frameStart.subarray(p, p + 3);
    for (let e = edgeStart[p]; e < edgeStart[p + 1]; e++) column[e] = head[e] - to;
    const rowStart = Uint32Array.of(...linkStart.subarray(from, to), edgeStart[p + 1]);
    const columnOfRow = state.columnOfRow.subarray(from, to);
    const entryOfRow = columnOfRow.map(
      (j, i) => column.subarray(rowStart[i], rowStart[i + 1]).indexOf(j) + rowStart[i],
    );
    const rowOfColumn = new Int32Array(end - to).fill(-1);
    columnOfRow.forEach((j, i) => {
      rowOfColumn[j] = i;
    });
    const certificate = certifyLap(
      { rows: to - from, columns: end - to, rowStart, column, cost, rowUnassigned: null, columnUnassigned: null },
      {
        columnOfRow,
        entryOfRow,
        rowOfColumn,
        rowDual: Float64Array.from(state.rowDual.subarray(from, to)),
        columnDual: Float64Array.from(state.columnDual.subarray(to, end)),
      },
    );
    const magnitude = entryOfRow.reduce((sum, e) => sum + Math.abs(cost[e]), 0);
    worst = certificate.complete ? Math.max(worst, certificate.gap / magnitude) : Number.POSITIVE_INFINITY;
  }
  return worst;
}
