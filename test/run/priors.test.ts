import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "d3-array";
import { describe, expect, test } from "vitest";
import { type Detections, joinFrames } from "../../src/core/detections.js";
import { firstFit } from "../../src/costs/motion/first-fit.js";
import { fitTracks } from "../../src/costs/motion/fit.js";
import type { Gaps } from "../../src/costs/motion/gaps.js";
import { type OddsByPlace, oddsAt } from "../../src/costs/motion/odds.js";
import { driftWithin, type StatedPriors } from "../../src/costs/motion/stated-priors.js";
import { parseDetections } from "../../src/formats/detections.js";
import { digestOf } from "../../src/formats/digest.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { cpuBackend } from "../../src/run/device.js";
import { estimateCosts, roughSolves } from "../../src/run/estimate-costs.js";
import { track } from "../../src/run/library/index.js";
import { motionFields } from "../../src/run/motion-passes.js";
import type { ProblemOverrides } from "../../src/run/overrides.js";
import { makeProblem } from "../../src/run/problem.js";
import { SOLVE_DEFAULTS } from "../../src/run/run.js";
import { learnCosts } from "../../src/run/windows/learn.js";
import { simulate } from "../../src/simulation/trajectories.js";
import { onlyObject, refuses, rmap, succeeds } from "../cli/rmap.js";
import { folderWith, temporaryFolder } from "../formats/support.js";

/** Six targets among false detections, eight a frame on average. */
const drawn = (clutter: number) =>
  simulate(
    {
      ...{ targets: 6, frames: 25, spread: 10, speed: [0.6, 0.8], velocities: "none" },
      noise: { position: 0.05, velocity: 0 },
      faults: { missed: 0.1, clutter, births: 0.2, deaths: 0.02 },
    },
    3,
  );
const detections = drawn(8);
const frameOf = (frameStart: Uint32Array, d: number) => frameStart.findIndex((begin) => begin > d) - 1;
const textOf = ({ frameStart, x, y, target }: Detections) =>
  `# dt=1\nframe,x,y,target\n${Array.from(x, (at, d) => {
    const one = (target as Int32Array)[d];
    return `${frameOf(frameStart, d)},${at},${y[d]},${one < 0 ? "" : one}\n`;
  }).join("")}`;
const csv = textOf(detections);
const parent = temporaryFolder();
const now = () => performance.now() / 1000;
const rough = roughSolves(null, "bundle", SOLVE_DEFAULTS);
const all = { noise: 0.05, missed: 0.1, clutter: 8, births: 0.2, speed: 0.7 };
const ALL = "noise=0.05,missed=0.1,clutter=8,births=0.2,speed=0.7";

/** The false detections of the right half are left out. */
function onlyLeft(all: Detections): Detections {
  const rows = Array.from({ length: all.frames }, (_, p) => {
    const here = Array.from({ length: all.frameStart[p + 1] - all.frameStart[p] }, (_, n) => all.frameStart[p] + n);
    const kept = here.filter((d) => (all.target as Int32Array)[d] >= 0 || all.x[d] < 0);
    return kept.map((d) => ({ x: all.x[d], y: all.y[d], vx: 0, vy: 0, target: (all.target as Int32Array)[d] }));
  });
  return { ...joinFrames(rows, 1), vx: null, vy: null };
}

async function priced(overrides: ProblemOverrides, text = csv) {
  const recording = parseDetections("d.csv", Buffer.from(text));
  const given = await makeProblem({ kind: "detections", recording }, overrides, { threads: 1, now });
  const solving = { threads: 1, now, backend: cpuBackend("cpu", 1, now) };
  const { problem, motion } = await estimateCosts(given, solving, rough, () => Number.POSITIVE_INFINITY);
  if (motion === null) throw new Error("no cost motion");
  const { graph } = buildGraph(problem.priced, problem.numbers);
  return { fit: motion.fit, model: motion.fit.model, digest: digestOf(graph), ...motionFields(motion) };
}

describe("priors", () => {
  test("each stated value stands in the place of its estimate, and is told", async () => {
    const without = await priced({});
    expect(without.estimates.join()).not.toMatch(/Stated/);
    const { model, fit, estimates, digest } = await priced({ prior: all });
    expect(estimates[0]).toBe(
      "Stated: noise 0.05, missed 0.1, clutter 8, births 0.2, speed 0.7; nothing of these is estimated.",
    );
    expect(digest).not.toBe(without.digest);
    // Rates are for the frame, and all are shared out over one area.
    expect(model.missed).toBe(0.1);
    expect(model.clutter / model.births).toBeCloseTo(40, 10);
    const { clutter } = (await priced({ prior: { clutter: 16 } })).model;
    expect(clutter / model.clutter).toBeCloseTo(2, 10);
    // The variance of the first displacement: that of the speed about the drift, and the noise of both ends.
    model.prior.forEach(({ tail, xx, yy }, n) => {
      const [driftX, driftY] = model.drift;
      const velocity = 0.7 ** 2 - driftX ** 2 - driftY ** 2;
      const variance = (((n + 1) ** 2 * velocity) / 2 + 2 * 0.05 ** 2) * 2;
      expect(((tail / (tail - 2)) * (xx + yy)) / variance).toBeCloseTo(1, 10);
    });
    expect(fit.gaps.seen).toBe(true);
  });

  test("a stated noise is the least scale of a density", async () => {
    const clear = textOf(drawn(0));
    const { model, estimates } = await priced({ prior: { noise: 0.4 } }, clear);
    expect(estimates[0]).toBe("Stated: noise 0.4; estimated: missed, clutter, births, speed.");
    for (const { xx, yy } of [...model.prior, ...model.step.flat()]) {
      expect(Math.min(xx, yy)).toBeGreaterThanOrEqual(0.4 ** 2);
    }
    expect((await priced({}, clear)).model.step[0][0].xx).toBeLessThan(0.4 ** 2);
  });

  test("births are the mean over all places; before gaps are closed, the targets that start anew after a miss are counted beside them", () => {
    const recording = drawn(8);
    const track = (recording.target as Int32Array).map((target, d) => (target < 0 ? 1000 + d : target));
    const gaps: Gaps = { spans: 2, missed: 0.1, asked: null, returns: [9], seen: true };
    const fitted = (priors: StatedPriors, by = gaps) =>
      fitTracks(recording, track, firstFit(recording).model, {
        ...{ persistence: true, divisions: "none" },
        gaps: by,
        priors,
      });
    const [none, one, two] = [fitted({}), fitted({ births: 0.1 }), fitted({ births: 0.2 })];
    const last = recording.x.length - 1;
    expect(one.odds.birth[last] - two.odds.birth[last]).toBeCloseTo(Math.LN2, 10);
    expect(oddsOf(one).birth - oddsOf(two).birth).toBeCloseTo(Math.LN2, 10);
    const open = { ...gaps, spans: 1, missed: 0, returns: null };
    expect(fitted({ births: 0.1 }, open).model.births).toBeCloseTo(
      one.model.births + fitted({}, open).model.births,
      12,
    );
    expect(none.model.births).not.toBe(one.model.births);

    function oddsOf({ odds }: typeof one) {
      return oddsAt(odds.elsewhere, recording.x[last] + 0.01, recording.y[last]);
    }
  });

  test("false detections are cheaper where tracks of one lie, and their mean is the stated one", () => {
    const fitted = (priors: StatedPriors) => {
      const track = (oneSided.target as Int32Array).map((target, d) => (target < 0 ? 1000 + d : target));
      const gaps: Gaps = { spans: 1, missed: 0, asked: 0, returns: [], seen: true };
      const options = { persistence: true, divisions: "none", gaps, priors } as const;
      return fitTracks(oneSided, track, firstFit(oneSided).model, options).odds;
    };
    const oneSided = onlyLeft(drawn(8));
    const [one, two] = [fitted({ clutter: 4 }), fitted({ clutter: 8 })];
    const rate = (x: number) => Math.exp(-(oddsAt(one.elsewhere, x, 0).clutter as number));
    expect(rate(-5)).toBeGreaterThan(5 * rate(5));
    // Their number in a frame: the rate over all places, and that at each detection over the density there.
    const { area } = one.elsewhere as OddsByPlace;
    const side = 64;
    let all = 0;
    for (let n = 0; n < side * side; n++) {
      const [column, row] = [n % side, Math.floor(n / side)].map((at) => (at + 0.5) / side);
      const { clutter } = oddsAt(one.elsewhere, area.x + column * area.width, area.y + row * area.height);
      all += (Math.exp(-(clutter as number)) * area.width * area.height) / side ** 2;
    }
    expect(all / 4).toBeGreaterThan(0.8);
    expect(all / 4).toBeLessThan(1.25);
    const apart = one.clutter?.map((cost, d) => {
      return cost - (oddsAt(one.elsewhere, oneSided.x[d], oneSided.y[d]).clutter as number);
    });
    expect(Math.abs(median(apart as Float64Array) as number)).toBeLessThan(0.3);
    one.clutter?.forEach((cost, d) => {
      expect(cost - (two.clutter?.[d] as number)).toBeCloseTo(Math.LN2, 10);
    });
    for (const priors of [{}, { births: 1 }, { clutter: 0 }]) expect(fitted(priors).clutter).toBeNull();
  });

  test("no drift is longer than the stated speed", () => {
    expect(driftWithin([3, 4], { speed: 5 })).toEqual([3, 4]);
    expect(driftWithin([3, 4], { speed: 4.9 })).toEqual([0, 0]);
    expect(driftWithin([3, 4], {})).toEqual([3, 4]);
  });

  test("windows learn their costs with them", async () => {
    const backend = cpuBackend("cpu", 1, now);
    const sample = { ...detections, vx: null, vy: null };
    const { learned } = await learnCosts(sample, { prior: all }, { threads: 1, now, backend }, rough);
    expect(learned.statement.model.missed).toBe(0.1);
    expect(learned.statement.model.clutter / learned.statement.model.births).toBeCloseTo(40, 10);
  });

  test("a proof states them, and its check makes the same costs; without them they are others", async () => {
    const cwd = folderWith(parent, { "d.csv": csv });
    await succeeds(["solve", "d.csv", "-o", "out", "--prior", ALL, "--device", "cpu", "-q"], { cwd });
    const file = join(cwd, "out/proof.json");
    const proof = JSON.parse(readFileSync(file, "utf8"));
    expect(proof.overrides.prior).toEqual(all);
    const row = JSON.parse(readFileSync(join(cwd, "out/result.json"), "utf8"));
    expect(row.scenario.pricing.cost).toEqual({ name: "motion", parameters: all });
    expect(row.estimates[0]).toMatch(/^Stated: noise 0\.05, missed 0\.1, /);
    const checked = await rmap(["check", "out/proof.json", "d.csv", "--json"], { cwd });
    expect(checked).toMatchObject({ code: 0, stderr: "" });
    expect(onlyObject(checked.stdout)).toMatchObject({ valid: true, holds: true });
    expect(await succeeds(["check", "out/proof.json", "d.csv", "-v"], { cwd })).toContain(`--prior ${ALL}`);
    writeFileSync(file, JSON.stringify({ ...proof, overrides: { ...proof.overrides, prior: { ...all, clutter: 2 } } }));
    expect((await rmap(["check", "out/proof.json", "d.csv"], { cwd })).code).not.toBe(0);
    writeFileSync(file, JSON.stringify({ ...proof, overrides: { ...proof.overrides, prior: { missed: 2 } } }));
    expect(await refuses(["check", "out/proof.json", "d.csv"], { cwd })).toMatch(/overrides\.prior\.missed: is 2; /);
  });

  test("a scenario states the same as parameters of the cost, and so does a program", async () => {
    const cost = { name: "motion", parameters: all };
    const cwd = folderWith(parent, {
      "d.csv": csv,
      "s.json": JSON.stringify({ name: "s", detections: { file: "d.csv" }, cost }),
    });
    const solved = (args: string[]) =>
      succeeds(["solve", ...args, "--json", "--device", "cpu"], { cwd }).then(JSON.parse);
    const [stated, asked] = [await solved(["s.json"]), await solved(["d.csv", "--prior", ALL])];
    expect(asked.upperBound).toBe(stated.upperBound);
    const frame = Array.from(detections.x, (_, d) => frameOf(detections.frameStart, d));
    const points = { frame, x: detections.x, y: detections.y };
    const answer = await track(points, { prior: all, device: "cpu", threads: 1 });
    expect(answer.upperBound).toBe(asked.upperBound);
    await expect(track(points, { prior: { missed: 1 } })).rejects.toThrow(/^track, prior\.missed: is 1; /);
  });

  test.each([
    ["--prior nois=1", "argument 'nois=1' is invalid. There is no prior \"nois\"; did you mean noise?"],
    ["--prior fog=1", 'There is no prior "fog"; give some of noise, missed, clutter, births, speed'],
    [
      "--prior missed",
      '"missed" is no NAME=VALUE; give some of noise, missed, clutter, births, speed, as in missed=0.1,clutter=9.',
    ],
    ["--prior noise=0", "noise is 0; give a number above 0, up to 1000000000000000."],
    ["--prior missed=0", "missed is 0; give a number above 0, below 1; --max-gap 0 says that none is missed."],
    ["--prior clutter=-1", "clutter is -1; give a number from 0 to 1000000000."],
    ["--prior births=few", "births is few; give a number above 0, up to 1000000000."],
    ["--prior speed=1,speed=2", "speed is stated twice; state it once."],
    ["--prior missed=0.1 --max-gap 0", "prior missed: with --max-gap 0 no target is missed; leave one of them out"],
    [
      "--prior births=1 --births 5",
      "prior births: with --births the costs of starts and ends are stated already; leave one of them out",
    ],
    [
      "--prior clutter=1 --births none",
      "prior clutter: with --births none every detection is of a target that stays; leave one of them out",
    ],
    [
      "--prior clutter=1 --cost likelihood",
      "--prior: only cost motion estimates what a prior states; use --cost motion, or leave it out",
    ],
    [
      "--cost-parameter fog=1 --cost motion",
      'cost motion: "fog" is no parameter; its parameters are the priors noise (standard deviation of',
    ],
  ])("%s is refused in one line", async (line, says) => {
    const cwd = folderWith(parent, { "d.csv": csv });
    expect(await refuses(["solve", "d.csv", ...line.split(" ")], { cwd })).toContain(says);
  });
});
