import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Detections } from "../../../src/core/detections.js";
import { roundStudentT } from "../../../src/costs/density/student.js";
import { openWindows, type WindowCaller } from "../../../src/run/windows/caller.js";
import type { WindowSettings } from "../../../src/run/windows/jobs.js";
import { KEEPS_NOTHING, KeepingFolder } from "../../../src/run/windows/kept.js";
import { type OverLinks, priceStretch, type StatedCosts } from "../../../src/run/windows/stated-costs.js";
import { WindowRun } from "../../../src/run/windows/windows.js";
import { isAtLeast, isAtMost } from "../check.js";
import { Garbler } from "../garble.js";
import { bruteForce, exactCost } from "../tracks.js";
import type { Attack } from "./attack.js";

/** Runs of one recording, each with other faults. */
const RUNS = 4;

const ITERATIONS = 60;

type Recording = Omit<Detections, "attributes">;

/** A few targets that walk straight with a little noise, appear and vanish. */
function walkers(garbler: Garbler): Recording {
  const frames = garbler.pick(4, 5, 6);
  const rows: [number[], number[]][] = Array.from({ length: frames }, () => [[], []]);
  for (let t = garbler.pick(2, 3); t > 0; t--) {
    const [begin, end] = [garbler.pick(0, 0, 1), frames - garbler.pick(0, 0, 1)];
    const [x, y, vx, vy] = Array.from({ length: 4 }, () => garbler.uniform(-2, 2));
    for (let p = begin; p < end; p++) {
      rows[p][0].push(x + vx * p + garbler.uniform(-0.3, 0.3));
      rows[p][1].push(y + vy * p + garbler.uniform(-0.3, 0.3));
    }
  }
  const frameStart = new Uint32Array(frames + 1);
  rows.forEach(([x], p) => {
    frameStart[p + 1] = frameStart[p] + x.length;
  });
  const [x, y] = [0, 1].map((axis) => Float64Array.from(rows.flatMap((row) => row[axis])));
  return { frames, frameStart, x, y, vx: null, vy: null, target: null, timeStep: 1 };
}

const ODDS = { birth: 4.2, ends: 0.03, clutter: null };

/** The costs below know no missed detections. */
const NONE: OverLinks = { tail: new Int32Array(0), head: new Int32Array(0) };

/** Costs that are stated rather than estimated. */
const STATEMENT: Omit<StatedCosts, "division"> = {
  model: {
    drift: [0, 0],
    velocityWeight: 0,
    prior: [roundStudentT(3, 1.2)],
    step: [[roundStudentT(3, 0.3)]],
    persistence: [[{ xx: 1, xy: 0, yy: 1 }]],
    births: 0.015,
    ends: ODDS.ends,
    missed: 0,
    clutter: 0.002,
  },
  birthDeath: "auto",
  radius: null,
  maxBirthCost: ODDS.birth,
};

/** Daughters begin some way apart on either side of their mother. */
const LAW = { rate: 0.1, middle: 0.5, apart: 1, evidence: 20 };

const oddsOf = ({ x }: Pick<Recording, "x">) => ({
  birth: new Float64Array(x.length).fill(ODDS.birth),
  ends: new Float64Array(x.length).fill(ODDS.ends),
  clutter: ODDS.clutter,
  elsewhere: ODDS,
});

/** Some bytes exchanged, or the end cut off. */
function spoilt(bytes: Buffer, garbler: Garbler): Buffer {
  if (garbler.chance(0.1)) return bytes.subarray(0, garbler.below(bytes.length));
  const other = Buffer.from(bytes);
  for (let times = garbler.pick(1, 2, 20); times > 0; times--)
    other[garbler.below(other.length)] = garbler.pick(48, 65, garbler.below(256));
  return other;
}

/** Solves windows, of some of which the multipliers and duals are others before they are joined. */
function garbling(garbler: Garbler): WindowCaller {
  const share = garbler.pick(0, 0.5, 1);
  const here = openWindows(1);
  return {
    ...here,
    choose: async () => NONE,
    async solve(task) {
      const answer = await here.solve(task);
      const values = garbler.pick(answer.piece.v, answer.piece.columnDual);
      const most = 10 ** garbler.uniform(-12, 3);
      if (garbler.chance(share)) for (let n = 0; n < values.length; n++) values[n] += garbler.uniform(-most, most);
      return answer;
    },
  };
}

async function inWindows(
  recording: Recording,
  statement: StatedCosts,
  size: number,
  overlap: number,
  { caller, keeper }: Pick<WindowSettings, "caller" | "keeper">,
) {
  const tracks: number[] = [];
  const options = { ascent: "bundle", iterations: ITERATIONS, gap: 1e-9, differencePerDetection: 0 } as const;
  const learn = async (sample: Recording) => ({ statement, odds: oddsOf(sample), name: "stated" });
  const run = new WindowRun(
    { size, overlap, learnFrames: 3, timeStep: 1, velocities: false, options, caller, keeper, learn },
    { onTracks: (_frame, _input, { track }) => tracks.push(...track), onWindow: () => {} },
  );
  await readAll(run, recording);
  return { totals: run.totals(), tracks };
}

/** Gives a run all frames of a recording, without velocities, and ends it. */
export async function readAll(run: WindowRun, { frames, frameStart, x, y }: Recording): Promise<void> {
  for (let p = 0; p < frames; p++) {
    const part = (values: Float64Array) => [...values.subarray(frameStart[p], frameStart[p + 1])];
    const none = part(x).map(() => Number.NaN);
    await run.add({ x: part(x), y: part(y), vx: none, vy: none });
  }
  await run.end();
}

/** By the detections of the problem, in which twins come after those of a frame. */
function nextOf(origin: Int32Array, next: readonly number[]): Int32Array {
  return origin.map((d) => (d < 0 || next[d] < 0 ? -1 : origin.indexOf(next[d])));
}

export const windows: Attack = {
  what: "recordings solved in windows, of which what was found comes with other multipliers, or out of a folder that an earlier run left, with other bytes",
  share: 5,
  perSeed: RUNS,
  async run(seed, { ended, violated }) {
    const garbler = new Garbler(seed);
    const recording = walkers(garbler);
    const { frameStart } = recording;
    const statement = { ...STATEMENT, division: seed % 4 === 0 ? LAW : null };
    const problem = priceStretch(recording, oddsOf(recording), statement, { begins: true, ends: true }, NONE);
    const truth = bruteForce(problem);
    if (truth === null) throw new Error("there are always tracks");
    const folder = mkdtempSync(join(tmpdir(), "rmap-attack-"));
    try {
      for (let n = 0; n < RUNS; n++) {
        const [size, overlap] = garbler.pick([3, 2], [3, 3], [4, 2], [10, 2]);
        const kept = garbler.chance(0.3);
        const how = {
          caller: kept ? openWindows(1) : garbling(garbler),
          keeper: kept ? new KeepingFolder(folder) : KEEPS_NOTHING,
        };
        if (kept) {
          await inWindows(recording, statement, size, overlap, how);
          for (const name of readdirSync(folder)) {
            const file = join(folder, name);
            writeFileSync(file, spoilt(readFileSync(file), garbler));
          }
        }
        const { totals, tracks } = await inWindows(recording, statement, size, overlap, how);
        const { lowerBound, upperBound, iterations } = totals;
        if (!isAtMost(lowerBound, truth.exact)) violated(`${lowerBound} is no lower bound (optimum ${truth.cost})`);
        // A window's own, and two solves at each seam.
        if (!(Number.isInteger(iterations) && iterations >= 0 && iterations <= 3 * ITERATIONS * totals.windows))
          violated(`${iterations} iterations in ${totals.windows} windows of ${ITERATIONS} at most`);
        const next = tracks.map((track, d) => tracks.findIndex((other, later) => later > d && other === track));
        const frameOf = (d: number) => frameStart.findIndex((start) => start > d) - 1;
        const apart = next.some((later, d) => later >= 0 && frameOf(later) !== frameOf(d) + 1);
        // Tracks that divide do not say who is the second daughter.
        const divides = totals.divisions > 0;
        const cost = divides ? truth.exact : apart ? null : exactCost(problem, nextOf(problem.origin, next));
        if (cost === null) violated("tracks that are not allowed");
        else if (!isAtLeast(upperBound, cost)) violated(`tracks of ${upperBound} cost more`);
        ended(lowerBound === Number.NEGATIVE_INFINITY ? "no bound" : kept ? "bound, from a folder" : "bound");
      }
    } catch (error) {
      violated(`ended with ${error}`);
      ended("failed");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
