import { expect, test } from "vitest";
import { readDetections, recordingOf } from "../../src/formats/detections.js";
import { DEFAULT_ASCENT } from "../../src/map/dual/ascents.js";
import { cpuBackend } from "../../src/run/device.js";
import { estimateCosts, roughSolves } from "../../src/run/estimate-costs.js";
import { motionFields } from "../../src/run/motion-passes.js";
import type { ProblemOverrides } from "../../src/run/overrides.js";
import { makeProblem } from "../../src/run/problem.js";
import { runProblem, SOLVE_DEFAULTS } from "../../src/run/run.js";
import { now, scenarioFile } from "./support.js";

const rough = roughSolves(null, DEFAULT_ASCENT, SOLVE_DEFAULTS);

/** A clock of one second for each thing that is asked of it, so that what time allows is the same on every machine. */
function ticking() {
  let seconds = 0;
  return () => seconds++;
}

async function opened(clock: () => number, recording = "opensky_uk_60s", overrides: ProblemOverrides = {}) {
  const { detections } = readDetections(scenarioFile(`data/${recording}.csv`));
  const given = { ...detections, vx: null, vy: null };
  const options = { threads: 1, now: clock, backend: cpuBackend("cpu", 1, now) };
  const problem = await makeProblem(
    { kind: "detections", recording: recordingOf(recording, given) },
    overrides,
    options,
  );
  return { problem, options };
}

test("where time is short, passes leave enough of it for the last solve, and a proof says how many there were", async () => {
  const made: number[] = [];
  // Made again as a check does it, by the number of solves and without any limit.
  const againOf = new Map<number, ReturnType<typeof estimateCosts>>();
  const madeAgain = async (solves: number) => {
    const { problem, options } = await opened(now);
    return estimateCosts(problem, options, { ...rough, solves }, () => Number.POSITIVE_INFINITY);
  };
  for (const seconds of [1, 900, 1750, 2000, Number.POSITIVE_INFINITY]) {
    const clock = ticking();
    const { problem, options } = await opened(clock);
    const began = clock();
    const left = () => seconds - (clock() - began);
    const { motion, solves } = await estimateCosts(problem, options, rough, left);
    made.push(solves);
    // One solve chooses the links over missed detections, and belongs to no pass of its own.
    expect(motion?.pass).toBe(solves + (motion?.over === null ? 1 : 0));
    // As much is left for the last solve as a pass took.
    const remains = left();
    if (solves > 0 && seconds < 1e6) expect(remains).toBeGreaterThanOrEqual((seconds - remains) / solves);
    if (!againOf.has(solves)) againOf.set(solves, madeAgain(solves));
    const same = await (againOf.get(solves) as ReturnType<typeof estimateCosts>);
    expect(same.problem.priced.links.cost).toEqual(motion?.priced.links.cost);
    expect(same.problem.priced.triplets).toEqual(motion?.priced.triplets);
  }
  expect(made).toEqual(made.toSorted((a, b) => a - b));
  expect(made[0]).toBe(0);
  expect(made.at(-1)).toBe(4);
  expect(new Set(made)).toEqual(new Set([0, 1, 2, 3, 4]));
});

test("a rough solve that is interrupted changes no costs", async () => {
  const { problem, options } = await opened(now, "cells_btrack_s10");
  let asked = 0;
  // Before the solve, and then in its iterations, of which it needs several.
  const interrupted = () => ++asked > 1;
  const { motion, solves } = await estimateCosts(problem, { ...options, interrupted }, rough, () => 1000);
  expect(solves).toBe(0);
  expect(motion?.pass).toBe(1);
  const { overrides, result } = await runProblem(problem, { ...options, interrupted: () => true });
  expect(result.motion?.passes).toBe(1);
  expect(overrides.estimated).toEqual({ ...rough, solves: 0 });
  expect(result.notes.join(" ")).toMatch(/Costs are those of pass 1, as the run was to end: more time may give others/);
});

test("a run that ends before gaps are closed does not say that they are", async () => {
  const { problem, options } = await opened(now, "opensky_uk_60s", { maxGap: 2 });
  const ends = async (solves: number) => {
    const { motion } = await estimateCosts(problem, options, { ...rough, solves }, () => Number.POSITIVE_INFINITY);
    return { pass: motion?.pass, ends: motion && motionFields(motion).choices.ends };
  };
  expect(await ends(2)).toEqual({ pass: 3, ends: expect.stringContaining("gaps are left open") });
  expect(await ends(3)).toEqual({ pass: 3, ends: expect.stringContaining("gaps of up to 2 frames are closed") });
});
