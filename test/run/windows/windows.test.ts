import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { describe, expect, test } from "vitest";
import { bruteForce, exactCost, exactly } from "../../../lab/truth/tracks.js";
import { randomStreams } from "../../../src/core/random.js";
import { candidateLinks } from "../../../src/costs/motion/candidates.js";
import { trackCosts } from "../../../src/costs/motion/track-costs.js";
import { certifyBound } from "../../../src/map/certificate/certificate.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import { type Found, type Piece, solvePiece } from "../../../src/map/window/piece.js";
import { openWindows, type WindowCaller } from "../../../src/run/windows/caller.js";
import { chooseOver, runWindow } from "../../../src/run/windows/job.js";
import { KeepingFolder } from "../../../src/run/windows/kept.js";
import type { WindowPlan } from "../../../src/run/windows/plan.js";
import type { OverLinks, StatedCosts } from "../../../src/run/windows/stated-costs.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";
import {
  inWindows,
  NONE,
  type Outcome,
  oddsOf,
  options,
  type Recording,
  statement,
  wholeProblem,
} from "./in-windows.js";

const temporary = temporaryFolder();

const ROUGH = { ...options, iterations: 12, gap: 5e-3 };

/** Targets that walk straight with a little noise, appear, vanish and are missed now and then. */
function walkers(seed: number, frames: number, targets: number, missed = 0): Recording {
  const stream = randomStreams(seed).next().value;
  const random = { uniform: () => stream.uniform(0, 1), normal: () => stream.normal() };
  const rows: [number[], number[]][] = Array.from({ length: frames }, () => [[], []]);
  for (let t = 0; t < targets; t++) {
    const [begin, end] = [
      Math.floor(random.uniform() * frames * 0.6) - 2,
      Math.ceil(frames * (0.4 + random.uniform())),
    ];
    const [x, y] = [20 * random.uniform(), 20 * random.uniform()];
    const [vx, vy] = [random.normal(), random.normal()];
    for (let p = Math.max(0, begin); p < Math.min(frames, end); p++) {
      if (random.uniform() < missed) continue;
      rows[p][0].push(x + vx * (p - begin) + 0.1 * random.normal());
      rows[p][1].push(y + vy * (p - begin) + 0.1 * random.normal());
    }
  }
  const frameStart = new Uint32Array(frames + 1);
  rows.forEach(([x], p) => {
    frameStart[p + 1] = frameStart[p] + x.length;
  });
  const [x, y] = [0, 1].map((axis) => Float64Array.from(rows.flatMap((row) => row[axis])));
  return { frames, frameStart, x, y, vx: null, vy: null, target: null, timeStep: 1 };
}

/** Every link over missed detections that may be worth its cost. */
function allOver(recording: Recording, stated: StatedCosts): OverLinks {
  const costs = trackCosts(recording, "auto", { model: stated.model, odds: oddsOf(recording) });
  const spans = stated.model.prior.map((_, n) => n + 1).slice(1);
  return candidateLinks(recording, stated.model, { ...costs, maxBirthCost: stated.maxBirthCost }, spans);
}

/** Cost of tracks by detection, as the whole problem prices them: consecutive detections of a track are linked, over missed frames too. */
function costOf(
  recording: Recording,
  stated: StatedCosts,
  { tracks, over }: Pick<Outcome, "tracks" | "over">,
  instanceOf: Awaited<ReturnType<typeof solvePiece>>,
): number {
  const { priced } = wholeProblem(recording, stated, over);
  const { graph } = instanceOf;
  const linkOf = new Int32Array(graph.frameStart[graph.frames]).fill(-1);
  const numbers = tracks.flat();
  const number = Array.from(priced.origin, (d) => (d < 0 ? -1 : numbers[d]));
  const frameOf = (d: number) => graph.frameStart.findIndex((start) => start > d) - 1;
  for (let d = 0; d < number.length; d++) {
    if (number[d] < 0) continue;
    const after = number.findIndex((n, at) => at > d && n === number[d]);
    if (after < 0) continue;
    // A path of links from d to the track's next detection.
    const path = (from: number): number[] | null => {
      for (let e = graph.linkStart[from]; e < graph.linkEnd[from]; e++) {
        if (graph.head[e] === after) return [e];
        if (priced.origin[graph.head[e]] < 0 && frameOf(graph.head[e]) < frameOf(after)) {
          const rest = path(graph.head[e]);
          if (rest !== null) return [e, ...rest];
        }
      }
      return null;
    };
    for (const e of path(d) ?? []) linkOf[graph.tail[e]] = e;
  }
  const cost = priceTracks(graph, linkOf);
  if (cost.status === "forbidden") throw new Error("a forbidden triplet");
  return cost.cost;
}

/** Frames by which the decision on a frame may lag behind the latest one read, where windows are solved as soon as they can be. */
function delayOf({ size, overlap, context, spans }: WindowPlan): number {
  return 2 * size + overlap + context + (spans > 1 ? size + overlap + spans : 0);
}

describe("windows", () => {
  test.each([
    [1, 0.12],
    [2, 0.12],
    [3, 0.12],
  ])(
    "of any size and overlap: bound ≤ optimum ≤ tracks, and the bound is the certificate of the whole; links over %i frames",
    async (spans, missed) => {
      const stated = statement(spans);
      let [same, missing, all, lost] = [0, 0, 0, 0];
      for (const seed of [1, 2, 3]) {
        const recording = walkers(seed, 24, spans === 1 ? 24 : 7, missed);
        const solved = async (over: OverLinks) => {
          const piece = await solvePiece(0, wholeProblem(recording, stated, over).graph, options);
          const optimum = priceTracks(piece.graph, piece.tracks);
          if (optimum.status === "forbidden") throw new Error("forbidden");
          return { piece, optimum, bound: certifyBound(piece.graph, piece.v, piece.columnDual).lowerBound };
        };
        const every = allOver(recording, stated);
        const job = { first: 0, detections: recording, odds: oddsOf(recording), statement: stated };
        const extent = { begins: true, ends: true };
        const atOnce = await solved(await chooseOver({ ...job, extent, choose: [0, 23], options: ROUGH }));
        for (const [size, overlap] of [
          [3, 2],
          [3, 5],
          [5, 3],
          [5, 5],
          [8, 12],
          [11, 4],
          [30, 5],
        ] as const) {
          const { totals, windows, tracks, over } = await inWindows(recording, stated, size, overlap);
          // The choice of links is part of what is certified: the same for all windows, and few, though the fitted multipliers of a solve that ends early leave more.
          const { piece: whole, optimum, bound } = spans === 1 ? atOnce : await solved(over);
          expect(over.tail.length).toBeLessThanOrEqual(0.4 * every.tail.length);
          missing += Math.max(0, optimum.cost - atOnce.optimum.cost);
          expect(totals.ended).toBe(true);
          expect(tracks.length).toBe(24);
          expect(totals.lowerBound).toBeLessThanOrEqual(optimum.cost);
          // No tracks are cheaper than the bound of the whole says.
          expect(totals.upperBound).toBeGreaterThanOrEqual(bound);
          expect(totals.upperBound).toBeCloseTo(costOf(recording, stated, { tracks, over }, whole), 9);
          expect(windows.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(totals.upperBound, 9);
          expect(windows.reduce((sum, { lowerBound }) => sum + lowerBound, 0)).toBeCloseTo(totals.lowerBound, 9);
          for (const { cost, lowerBound } of windows) expect(cost).toBeGreaterThanOrEqual(lowerBound - 1e-9);
          expect(windows.map(({ frames }) => frames[0])).toEqual(windows.map((_, k) => k * size));
          expect(windows.at(-1)?.frames[1]).toBe(23);
          expect(totals.edges).toBe(whole.graph.edges);
          expect(totals.plan !== null && totals.delay <= delayOf(totals.plan)).toBe(true);
          all++;
          if (totals.upperBound <= optimum.cost + 1e-9) same++;
          lost += bound - totals.lowerBound;
        }
      }
      expect(same).toBeGreaterThan(0.8 * all);
      // Windows lose nothing, or next to it, by choosing those links each for itself.
      expect(missing).toBeLessThan(1);
      // In all, of bounds of some hundred nats each.
      expect(lost).toBeLessThan(1);
    },
  );

  test("bound below the exact optimum by enumeration, in rational arithmetic", async () => {
    let tight = 0;
    for (let seed = 0; seed < 30; seed++) {
      const recording = walkers(seed, 5, 3);
      const { priced: problem } = wholeProblem(recording, statement(1));
      const truth = bruteForce(problem);
      const optimum = truth && exactCost(problem, truth.next);
      if (truth === null || optimum === null) throw new Error("there are always tracks");
      for (const [size, overlap] of [
        [3, 2],
        [3, 3],
        [4, 2],
      ] as const) {
        const { totals } = await inWindows(recording, statement(1), size, overlap);
        expect(exactly(totals.lowerBound) <= optimum).toBe(true);
        expect(exactly(totals.upperBound) >= optimum).toBe(true);
        if (totals.upperBound - totals.lowerBound < 1e-6) tight++;
      }
    }
    expect(tight).toBeGreaterThan(60);
  });

  test("frames without detections, and windows without any", async () => {
    const { x, y, ...rest } = walkers(3, 24, 7);
    // All but the first six frames and the last three are empty.
    const kept = Uint8Array.from(x, (_, d) => (d < rest.frameStart[6] || d >= rest.frameStart[21] ? 1 : 0));
    const frameStart = rest.frameStart.map((start) => kept.subarray(0, start).reduce((sum, one) => sum + one, 0));
    const recording = { ...rest, frameStart, x: x.filter((_, d) => kept[d]), y: y.filter((_, d) => kept[d]) };
    const whole = await solvePiece(0, wholeProblem(recording, statement(1)).graph, options);
    const optimum = priceTracks(whole.graph, whole.tracks);
    for (const size of [3, 5, 9]) {
      const { totals, tracks } = await inWindows(recording, statement(1), size, 3);
      expect(tracks.flat().length).toBe(recording.x.length);
      expect(optimum.status === "feasible" && totals.upperBound).toBeCloseTo(
        optimum.status === "feasible" ? optimum.cost : 0,
        9,
      );
      expect(totals.upperBound - totals.lowerBound).toBeLessThan(1e-6);
    }
  });

  /** Windows of this machine, and what is changed in one of them after it was solved. */
  const changed = (window: number, change: (piece: Piece) => void): WindowCaller => {
    const here = openWindows(1);
    let calls = 0;
    return {
      ...here,
      async solve(task) {
        const answer = await here.solve(task);
        if (calls++ === window) change(answer.piece);
        return answer;
      },
    };
  };

  test("a window whose numbers prove nothing leaves no bound of the whole, however many others prove something", async () => {
    const recording = walkers(4, 24, 12);
    const sound = await inWindows(recording, statement(1), 8, 3);
    for (const window of [0, 1, 2]) {
      for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
        // Frame 4 of the window's own, which no seam decides anew.
        const caller = changed(window, ({ graph, columnDual, first }) => {
          columnDual[graph.frameStart[8 * window + 4 - first]] = value;
        });
        const { totals, windows } = await inWindows(recording, statement(1), 8, 3, { caller });
        expect(totals.lowerBound).toBe(Number.NEGATIVE_INFINITY);
        expect(windows.map(({ lowerBound }) => Number.isFinite(lowerBound))).toEqual(
          [0, 1, 2].map((k) => k !== window),
        );
        expect(totals.upperBound).toBe(sound.totals.upperBound);
      }
    }
  });

  test("windows that price a frame pair differently, by the last bit of one link, end or start, do not meet", async () => {
    const recording = walkers(4, 24, 12);
    for (const kind of ["edgeStart", "deathStart", "birthStart"] as const) {
      const caller = changed(1, ({ graph, first }) => {
        const e = graph[kind][8 - first];
        graph.cost[e] += 2 ** -52 * Math.abs(graph.cost[e]);
      });
      await expect(inWindows(recording, statement(1), 8, 3, { caller })).rejects.toThrow(
        /has two prices in two windows/,
      );
    }
    const fewer = changed(1, (piece) => {
      const { graph, first } = piece;
      const deathStart = graph.deathStart.map((start, p) => (p === 8 - first ? start - 1 : start));
      (piece as { graph: Piece["graph"] }).graph = { ...graph, deathStart };
    });
    await expect(inWindows(recording, statement(1), 8, 3, { caller: fewer })).rejects.toThrow(/have other links there/);
  });

  test("what pause throws ends the seams between windows, and the windows of a run on one thread", async () => {
    const recording = walkers(1, 24, 40, 0.12);
    const stop = async () => Promise.reject(new Error("stopped"));
    const stopping = openWindows(1, stop);
    await expect(inWindows(recording, statement(1), 8, 3, { caller: stopping })).rejects.toThrow("stopped");
    const inSeams = { ...openWindows(1), join: stopping.join };
    await expect(inWindows(recording, statement(1), 8, 3, { caller: inSeams })).rejects.toThrow("stopped");
  });

  test("threads work on windows and seams at once, and come to the same bytes", async () => {
    const recording = walkers(7, 40, 30, 0.12);
    const alone = await inWindows(recording, statement(2), 5, 3);
    for (const threads of [2, 3]) {
      const caller = openWindows(threads);
      expect({ ...(await inWindows(recording, statement(2), 5, 3, { caller })), over: alone.over }).toEqual({
        ...alone,
        totals: { ...alone.totals, delay: expect.any(Number) },
      });
    }
  });

  test.each([
    [5, 8],
    [20, 2],
  ])(
    "what was decided before in windows of %i frames is neither searched, priced nor certified again; what is missing is, with its neighbours",
    async (size, windows) => {
      const recording = walkers(7, 40, 12, 0.12);
      const folder = folderWith(temporary, {});
      const keeper = new KeepingFolder(folder);
      const first = await inWindows(recording, statement(2), size, 3, { keeper });
      const counts = { solve: 0, join: 0, decide: 0 };
      const here = openWindows(1);
      const caller: WindowCaller = {
        ...here,
        choose: () => Promise.reject(new Error("all links are kept")),
        solve: (task) =>
          task.found === null ? Promise.reject(new Error("all windows are kept")) : counted("solve", task),
        join: (task) => counted("join", task),
        decide: (task) => counted("decide", task),
      };
      function counted<Name extends keyof typeof counts>(name: Name, task: Parameters<WindowCaller[Name]>[0]) {
        counts[name]++;
        return (here[name] as (task: unknown) => unknown)(task) as ReturnType<WindowCaller[Name]>;
      }
      const again = async () => {
        Object.assign(counts, { solve: 0, join: 0, decide: 0 });
        expect({
          ...(await inWindows(recording, statement(2), size, 3, { caller, keeper })),
          over: first.over,
        }).toEqual(first);
        return counts;
      };
      expect(await again()).toEqual({ solve: 0, join: 0, decide: 0 });
      const decided = readdirSync(folder).filter((name) => name.startsWith("decided-"));
      expect(decided).toHaveLength(windows);
      rmSync(join(folder, decided[0]));
      const { solve, join: seams, decide } = await again();
      expect([2, 3]).toContain(solve);
      expect([seams, decide]).toEqual([solve - 1, 1]);
    },
  );

  test("windows that were decided with other multipliers where they meet are refused, whatever the digests of their files say", async () => {
    const recording = walkers(7, 40, 12, 0.12);
    const folder = folderWith(temporary, {});
    const keeper = new KeepingFolder(folder);
    await inWindows(recording, statement(2), 5, 3, { keeper });
    const names = readdirSync(folder);
    // Other multipliers in all windows, and half of them decided anew with these.
    for (const name of names.filter((name) => name.startsWith("found-"))) {
      const file = join(folder, name);
      const found = deserialize(readFileSync(file).subarray(32)) as Found;
      const content = serialize({ ...found, v: found.v.map((value, e) => value + (e % 5) / 10) });
      writeFileSync(file, Buffer.concat([createHash("sha256").update(content).digest(), content]));
    }
    const decided = names.filter((name) => name.startsWith("decided-"));
    for (const name of decided.filter((_, n) => n % 2 === 0)) rmSync(join(folder, name));
    await expect(inWindows(recording, statement(2), 5, 3, { keeper })).rejects.toThrow(
      /^windows \d and \d: what is kept of them differs where they meet, .*; remove the folder unfinished and begin anew$/,
    );
  });

  test("one window is the whole: the same bound, price and tracks", async () => {
    const recording = walkers(5, 20, 6);
    const job = {
      first: 0,
      detections: recording,
      odds: oddsOf(recording),
      extent: { begins: true, ends: true },
      statement: statement(1),
      over: NONE,
      from: 0,
      to: 19,
      options,
    };
    const { piece } = await runWindow({ job, found: null });
    const { totals } = await inWindows(recording, statement(1), 40, 5);
    expect(totals.lowerBound).toBe(certifyBound(piece.graph, piece.v, piece.columnDual).lowerBound);
    const priced = priceTracks(piece.graph, piece.tracks);
    expect(priced.status === "feasible" && priced.cost).toBeCloseTo(totals.upperBound, 12);
  });
});
