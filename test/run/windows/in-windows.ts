import { expect } from "vitest";
import { readAll } from "../../../lab/truth/attacks/windows.js";
import type { Detections } from "../../../src/core/detections.js";
import { evenly, roundStudentT } from "../../../src/costs/density/student.js";
import type { DivisionLaw } from "../../../src/costs/motion/division-law.js";
import { graphOf } from "../../../src/map/window/piece.js";
import { openWindows, type WindowCaller } from "../../../src/run/windows/caller.js";
import type { WindowSettings } from "../../../src/run/windows/jobs.js";
import { KEEPS_NOTHING } from "../../../src/run/windows/kept.js";
import { type OverLinks, priceStretch, type StatedCosts } from "../../../src/run/windows/stated-costs.js";
import { type ClosedWindow, WindowRun, type WindowTotals } from "../../../src/run/windows/windows.js";

export type Recording = Omit<Detections, "attributes">;

export const options = { ascent: "bundle", iterations: 400, gap: 1e-9, differencePerDetection: 0 } as const;
const ODDS = { birth: 4.2, ends: 0.03, clutter: null };

/** Costs that are stated rather than estimated. */
export function statement(spans: number, division: DivisionLaw | null = null): StatedCosts {
  const each = Array.from({ length: spans }, (_, n) => n + 1);
  const model = {
    drift: [0, 0] as const,
    velocityWeight: 0,
    prior: each.map((a) => roundStudentT(3, 1.2 * a)),
    step: each.map((a) => each.map((b) => roundStudentT(3, 0.15 * (a + b)))),
    persistence: each.map((a) => each.map((b) => evenly(b / a))),
    births: 0.015,
    ends: ODDS.ends,
    missed: spans === 1 ? 0 : 0.08,
    clutter: 0.002,
  };
  return { model, birthDeath: "auto", radius: null, maxBirthCost: ODDS.birth, division };
}

export const oddsOf = ({ x }: Pick<Recording, "x">) => ({
  birth: new Float64Array(x.length).fill(ODDS.birth),
  ends: new Float64Array(x.length).fill(ODDS.ends),
  clutter: ODDS.clutter,
  elsewhere: ODDS,
});

export interface Outcome {
  readonly totals: WindowTotals;
  readonly windows: readonly ClosedWindow[];
  /** The links over missed detections that were chosen, by detections of the recording. */
  readonly over: OverLinks;
  /** By frame, the track of each detection and its mother's. */
  readonly tracks: readonly (readonly number[])[];
  readonly parents: readonly (readonly number[])[];
}

/** @param other what is other than in a run of this machine that nobody interrupts */
export async function inWindows(
  recording: Recording,
  stated: StatedCosts,
  size: number,
  overlap: number,
  other: Partial<Pick<WindowSettings, "caller" | "keeper">> = {},
): Promise<Outcome> {
  const windows: ClosedWindow[] = [];
  const tracks: (readonly number[])[] = [];
  const parents: (readonly number[])[] = [];
  const here = openWindows(1);
  const chosen: { i: number; j: number }[] = [];
  const caller: WindowCaller = {
    ...here,
    async choose(job) {
      const answer = await here.choose(job);
      const before = recording.frameStart[job.first];
      answer.tail.forEach((tail, e) => {
        chosen.push({ i: tail + before, j: answer.head[e] + before });
      });
      return answer;
    },
  };
  const run = new WindowRun(
    {
      size,
      overlap,
      learnFrames: 3,
      timeStep: 1,
      velocities: false,
      options,
      caller,
      keeper: KEEPS_NOTHING,
      learn: async (sample) => ({ statement: stated, odds: oddsOf(sample), name: "stated" }),
      ...other,
    },
    {
      onTracks: (frame, _, { track, parent }) => {
        expect(frame).toBe(tracks.length);
        tracks.push(track);
        parents.push(parent);
      },
      onWindow: (window) => windows.push(window),
    },
  );
  await readAll(run, recording);
  await caller.close();
  chosen.sort((a, b) => a.i - b.i || a.j - b.j);
  const over = { tail: Int32Array.from(chosen, ({ i }) => i), head: Int32Array.from(chosen, ({ j }) => j) };
  return { totals: run.totals(), windows, tracks, parents, over };
}

export const NONE = { tail: new Int32Array(0), head: new Int32Array(0) };

/** All frames as one problem. */
export function wholeProblem(recording: Recording, stated: StatedCosts, over: OverLinks = NONE) {
  const priced = priceStretch(recording, oddsOf(recording), stated, { begins: true, ends: true }, over);
  return { priced, graph: graphOf(0, priced) };
}
