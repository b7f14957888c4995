import { invariant } from "../../core/errors.js";
import { randomStreams } from "../../core/random.js";
import { certifyLap } from "../../lap/certificate.js";
import { GpuLapBatch } from "../../lap/gpu-batch.js";
import { lapProblemAt, lapSolutionAt } from "../../lap/jv/batch.js";
import type { LapSolution } from "../../lap/lap.js";
import { HostHungarian } from "../naive/hungarian.js";
import { LapPool } from "../naive/lap-pool.js";
import type { BenchOptions, BenchSize, Comparison } from "./bench.js";
import { repeated, type Spread, scaled, spreadOf } from "./timing.js";

/** How the naive engine takes a batch: all LAPs advance in step, or one LAP after the other. */
export const LAP_ORDERS = ["together", "one-by-one"] as const;

export type LapOrder = (typeof LAP_ORDERS)[number];

/** Relative to the LAP's cost, what f32 may leave between cost and bound. */
const MOST_GAP = 1e-4;

/** For warm starts: the change, up or down, of as many random entries of each LAP as it has rows. */
const CHANGE = 0.025;

/** Assignment and duals of a batch of square LAPs, columns counted within the LAP. */
interface Answers {
  readonly columnOfRow: Int32Array;
  readonly rowDual: ArrayLike<number>;
  readonly columnDual: ArrayLike<number>;
}

/** T LAPs of N × N uniform f32 costs. */
export async function benchLaps(size: BenchSize, order: LapOrder, options: BenchOptions): Promise<Comparison> {
  const { n, t } = size;
  const random = randomStreams(options.seed).next().value;
  const cost = Float32Array.from({ length: t * n * n }, () => random.uniform(0, 1));
  const changed = cost.slice();
  for (let lap = 0; lap < t; lap++) {
    for (let change = 0; change < n; change++) {
      changed[lap * n * n + Math.floor(random.uniform(0, n * n))] += random.uniform(-CHANGE, CHANGE);
    }
  }
  const pool = LapPool.create(cost, n, t, options.threads);
  const changedPool = LapPool.create(changed, n, t, 1);
  try {
    const cpuSeconds = await benchCpu(pool, options);
    const enhanced = await benchEnhanced(size, { cost, pool }, { cost: changed, pool: changedPool }, options);
    const naive = await (order === "together" ? benchTogether : benchOneByOne)(size, cost, pool, options);
    return {
      ...naive,
      enhancedSeconds: enhanced.cold,
      cpuSeconds,
      details: {
        laps: order,
        warmSeconds: enhanced.warm,
        kernel: enhanced.kernel,
        worstGap: { naive: naive.worstGap, enhanced: enhanced.worstGap },
        waits: naive.waits,
      },
    };
  } finally {
    await pool.close();
    await changedPool.close();
  }
}

async function benchCpu(pool: LapPool, { now, repetitions }: BenchOptions): Promise<Spread> {
  return await repeated(
    async () => {
      const begin = now();
      await pool.solve();
      const taken = now() - begin;
      worstGapOf(pool, null);
      return taken;
    },
    { repetitions, limit: Number.POSITIVE_INFINITY },
  );
}

interface Batch {
  readonly cost: Float32Array;
  readonly pool: LapPool;
}

/** Cold, and warm after some costs have changed. */
async function benchEnhanced({ n, t }: BenchSize, first: Batch, second: Batch, options: BenchOptions) {
  const { session, busy, now, repetitions } = options;
  const sizes = new Uint32Array(t).fill(n);
  const limit = new Float32Array(t * n).fill(Number.POSITIVE_INFINITY);
  const shape = { rows: sizes, columns: sizes, rowLimit: limit, columnLimit: limit, entries: null };
  const batch = await GpuLapBatch.create(session, shape);
  const found: { readonly pool: LapPool; readonly answers: Answers }[] = [];
  const solve = async ({ cost, pool }: Batch, warm: boolean): Promise<number> => {
    batch.writeDense(cost);
    await busy.run();
    await session.finished();
    const begin = now();
    const encoder = session.device.createCommandEncoder({ label: "LAPs" });
    const pass = encoder.beginComputePass({ label: "LAPs" });
    batch.encodeSolve(pass, { warm });
    pass.end();
    session.device.queue.submit([encoder.finish()]);
    await session.finished();
    const taken = now() - begin;
    found.push({ pool, answers: await batch.read() });
    return taken;
  };
  const warm: number[] = [];
  const cold = await repeated(
    async () => {
      const taken = await solve(first, false);
      warm.push(await solve(second, true));
      return taken;
    },
    { repetitions, limit: Number.POSITIVE_INFINITY },
  );
  batch.destroy();
  const worstGap = Math.max(...found.map(({ pool, answers }) => worstGapOf(pool, answers)));
  const { plan } = batch;
  invariant(plan !== null, () => "dense LAPs are solved as matrices");
  return { cold, warm: spreadOf(warm.slice(1)), worstGap, kernel: plan.path };
}

/** The host waits for all LAPs at once. */
async function benchTogether({ n, t }: BenchSize, cost: Float32Array, pool: LapPool, options: BenchOptions) {
  const { session, busy, now, repetitions, timeLimit } = options;
  const hungarian = await HostHungarian.create(session, n, t);
  const found: Answers[] = [];
  let waits = 0;
  const naiveSeconds = await repeated(
    async () => {
      hungarian.write(cost);
      await busy.run();
      await session.finished();
      const before = hungarian.steps;
      const begin = now();
      await hungarian.solve();
      const taken = now() - begin;
      waits = hungarian.steps - before;
      found.push(await hungarian.read());
      return taken;
    },
    { repetitions, limit: timeLimit },
  );
  hungarian.destroy();
  return { naiveSeconds, worstGap: Math.max(...found.map((answers) => worstGapOf(pool, answers))), waits };
}

/**
 * One LAP has the device to itself. The LAPs are independent draws, so when the time is over those that are done represent all of them: the
 * time of the batch is theirs in proportion.
 */
async function benchOneByOne({ n, t }: BenchSize, cost: Float32Array, pool: LapPool, options: BenchOptions) {
  const { session, busy, now, timeLimit } = options;
  const hungarian = await HostHungarian.create(session, n, 1);
  const found: Answers[] = [];
  const solve = async (lap: number): Promise<number> => {
    hungarian.write(cost.subarray(lap * n * n, (lap + 1) * n * n));
    await session.finished();
    const begin = now();
    await hungarian.solve();
    const taken = now() - begin;
    found[lap] = await hungarian.read();
    return taken;
  };
  await solve(0);
  await busy.run();
  const before = hungarian.steps;
  let seconds = 0;
  let done = 0;
  while (done < t && (done === 0 || seconds < timeLimit)) seconds += await solve(done++);
  const waits = Math.round(((hungarian.steps - before) * t) / done);
  hungarian.destroy();
  const worstGap = Math.max(...found.map((answers, lap) => requireCertified(pool, lap, answers, 0)));
  const naiveSeconds = scaled(spreadOf([seconds]), t / done);
  return { naiveSeconds, worstGap, waits, ...(done < t && { extrapolated: { done, of: t } }) };
}

/** The largest relative gap of a batch; certified after the timings, so that the device does not idle between them. */
function worstGapOf(pool: LapPool, answers: Answers | null): number {
  let worst = 0;
  for (let lap = 0; lap < pool.problems.count; lap++) worst = Math.max(worst, requireCertified(pool, lap, answers));
  return worst;
}

/** The relative gap of LAP `lap` of the pool's costs; `answers` of LAP `at` (or the pool's own where null). */
function requireCertified({ problems, solutions }: LapPool, lap: number, answers: Answers | null, at = lap): number {
  const problem = lapProblemAt(problems, lap);
  const n = problem.rows;
  const solution = answers === null ? lapSolutionAt(problems, solutions, lap) : solutionOf(answers, n, at, lap);
  const { complete, gap, primalCost } = certifyLap(problem, solution);
  const relative = gap / Math.abs(primalCost);
  invariant(complete && relative <= MOST_GAP, () => `LAP ${lap} of ${n} × ${n}: gap ${relative}, no time is reported`);
  return relative;
}

function solutionOf({ columnOfRow, rowDual, columnDual }: Answers, n: number, at: number, lap: number): LapSolution {
  const rowOfColumn = new Int32Array(n).fill(-1);
  for (let i = 0; i < n; i++) rowOfColumn[columnOfRow[at * n + i]] = i;
  return {
    columnOfRow: columnOfRow.subarray(at * n, (at + 1) * n),
    entryOfRow: Int32Array.from({ length: n }, (_, i) => (lap * n + i) * n + columnOfRow[at * n + i]),
    rowOfColumn,
    rowDual: Float64Array.from({ length: n }, (_, i) => rowDual[at * n + i]),
    columnDual: Float64Array.from({ length: n }, (_, j) => columnDual[at * n + j]),
  };
}
