import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bruteForce, exactCost, exactly } from "../../lab/truth/tracks.js";
import { InputError } from "../../src/core/errors.js";
import type { Correction } from "../../src/core/fixed-links.js";
import { FixedLinksBuilder } from "../../src/core/fixed-links.js";
import { edgesOf } from "../../src/formats/branches.js";
import { readInput } from "../../src/formats/input.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";
import { type Corrected, Corrections } from "../../src/run/corrections/corrections.js";
import { withLinks } from "../../src/run/corrections/with-links.js";
import { openBackend } from "../../src/run/device.js";
import type { MotionPass } from "../../src/run/motion-passes.js";
import type { Run } from "../../src/run/run.js";
import { solveInput } from "../../src/run/solve-input.js";
import { anyRecipe } from "../map/arbitrary.js";
import { randomProblem } from "../map/problems.js";
import { bare, now, run, scenarioFile } from "./support.js";

/** The optimum of a small problem that keeps to corrections, with a link or without; null where there is none. */
function truth(problem: PricedProblem, list: readonly Correction[]): bigint | null {
  const { frameStart } = problem.links;
  const best = bruteForce(problem, (pair, matching) =>
    list.every(({ kind, from, to }) => {
      if (from < frameStart[pair] || from >= frameStart[pair + 1]) return true;
      return (matching[from - frameStart[pair]] === to - frameStart[pair + 1]) === (kind === "required");
    }),
  );
  return best && exactCost(problem, best.next);
}

const linksOf = ({ track, parents }: Pick<Corrected, "track" | "parents">) => edgesOf({ track, parent: parents });

async function solved(input: string, overrides = {}) {
  const backend = await openBackend("cpu", { threads: 1, now });
  return await solveInput(
    () => backend,
    await readInput(isAbsolute(input) ? input : scenarioFile(input)),
    { threads: 1, ...overrides },
    { now, began: now() },
  );
}

/** Corrections of the links with the least margins, one after another: two of three forbidden. */
async function correctWeakest(session: Corrections, first: Pick<Run, "track" | "margins">, count: number) {
  const list: Correction[] = [];
  const answers: Corrected[] = [];
  let { track, margins } = first as Pick<Corrected, "track" | "margins">;
  for (let n = 0; n < count; n++) {
    const open = linksOf({ track, parents: new Map() }).filter(
      ([i, j]) => !list.some(({ from, to }) => from === i && to === j),
    );
    const [from, to] = open.reduce((least, link) =>
      (margins?.link[link[0]] ?? 0) < (margins?.link[least[0]] ?? 0) ? link : least,
    );
    list.push({ kind: n % 3 === 2 ? "required" : "forbidden", from, to });
    answers.push(await session.correct(list));
    ({ track, margins } = answers[n]);
  }
  return { list, answers };
}

const parts = (list: readonly Correction[], ofEach: readonly Corrected[]) =>
  ofEach.map((answer, n) => ({ answer, kept: list.slice(0, n + 1) }));

describe("corrections", () => {
  test("bounds, optima and margins hold against all sets of tracks that keep to them", async () => {
    let [settled, margins, inPart, inWhole, refused] = [0, 0, 0, 0, 0];
    await fc.assert(
      fc.asyncProperty(anyRecipe, fc.infiniteStream(fc.nat()), async (recipe, numbers) => {
        const larger = recipe.seed % 2 === 0 ? { counts: [3, 4, 3, 3], births: true, links: 1 } : {};
        const problem = randomProblem({ ...recipe, ...larger, grid: 2 ** -10, divisions: false });
        const { frameStart, tail, head } = problem.links;
        const given = bare(problem);
        const found = await run(given, { gapPercent: 0 });
        if (found.track === null || found.graph.surcharge !== null || tail.length === 0) return;
        const session = new Corrections({ problem: given, run: found }, { now });
        const list: Correction[] = [];
        let present = linksOf({ track: found.track, parents: found.parents });
        for (let n = 0; n < 4; n++) {
          // Links of the answer are forbidden, so that what is left is dear.
          const [kind, number] = [numbers.next().value as number, numbers.next().value as number];
          const isOwn = kind % 4 > 0 && present.length > 0;
          const e = number % tail.length;
          const [from, to] = isOwn ? present[number % present.length] : [tail[e], head[e]];
          const correction = { kind: kind % 4 === 0 ? "required" : "forbidden", from, to } as const;
          if (list.some(({ from, to }) => from === correction.from && to === correction.to)) continue;
          const optimum = truth(problem, [...list, correction]);
          const answer = await session.correct([...list, correction]).catch((error) => {
            if (!(error instanceof InputError)) throw error;
            return null;
          });
          if (answer === null) {
            refused++;
            continue;
          }
          list.push(correction);
          present = linksOf(answer);
          if (optimum === null) throw new Error("an answer where there is none");
          expect(exactly(answer.lowerBound) <= optimum).toBe(true);
          if (answer.status === "optimal") {
            settled++;
            expect(answer.upperBound).toBeCloseTo(Number(optimum) / 2 ** 300, 9);
          }
          if (answer.gone.length > 0) answer.whole ? inWhole++ : inPart++;
          for (const [from, to] of linksOf(answer).slice(0, 2)) {
            const margin = answer.margins?.link[from] ?? Number.NaN;
            if (Number.isNaN(margin) || list.some((one) => one.from === from && one.to === to)) continue;
            const [without, within] = (["forbidden", "required"] as const).map((kind) =>
              truth(problem, [...list, { kind, from, to }]),
            );
            margins++;
            if (without === null || within === null) continue;
            const claimed = margin - 1e-12 * (1 + Math.abs(margin));
            expect(without - within >= exactly(claimed), `margin ${margin} of ${from} ${to}`).toBe(true);
          }
        }
        expect(frameStart.length).toBeGreaterThan(1);
      }),
      { numRuns: 100 },
    );
    expect(settled).toBeGreaterThan(100);
    expect(inPart).toBeGreaterThan(10);
    expect(inWhole).toBeGreaterThan(50);
    expect(margins).toBeGreaterThan(150);
    expect(refused).toBeGreaterThan(5);
  });

  test("a recording has the bound and the tracks of solve --links on the same corrections", async () => {
    const file = "data/opensky_uk_60s.csv";
    const { problem, run: found } = await solved(file, { passes: 1 });
    const session = new Corrections({ problem, run: found }, { now });
    const { list, answers } = await correctWeakest(session, found, 5);
    const links = join(mkdtempSync(join(tmpdir(), "rmap-corrections-")), "links.csv");
    const { frameStart } = found;
    const frameOf = (d: number) => frameStart.findIndex((_, p) => frameStart[p + 1] > d);
    for (const { answer, kept } of parts(list, answers)) {
      const rows = kept.map(({ kind, from, to }) => {
        const [p, q] = [frameOf(from), frameOf(to)];
        return `${p},${from - frameStart[p]},${to - frameStart[q]},${kind},${q}`;
      });
      writeFileSync(links, `frame,i,j,link,next\n${rows.join("\n")}\n`);
      const whole = (await solved(file, { passes: 1, links })).run;
      expect(answer.status).toBe("optimal");
      expect(Math.abs(answer.lowerBound - whole.solution.lowerBound)).toBeLessThan(1e-12 * Math.abs(answer.lowerBound));
      expect(linksOf(answer)).toEqual(linksOf({ track: whole.track as Int32Array, parents: whole.parents }));
    }
  });

  /** Fifteen targets with missed and false detections. */
  function faults(): string {
    const file = join(mkdtempSync(join(tmpdir(), "rmap-corrections-")), "faults.json");
    const simulation = {
      targets: 15,
      frames: 20,
      spread: 25,
      velocities: "none",
      faults: { missed: 0.1, clutter: 1, births: 0.4, deaths: 0.02 },
    };
    writeFileSync(file, JSON.stringify({ name: "faults", simulation, seed: 3 }));
    return file;
  }

  test("with missed detections the answer is that of a solve of the same law with the links fixed", async () => {
    const { problem, run: found } = await solved(faults());
    const session = new Corrections({ problem, run: found }, { now });
    const { list, answers } = await correctWeakest(session, found, 6);
    const { motion } = found;
    for (const { answer, kept } of parts(list, answers)) {
      const links = new FixedLinksBuilder(answer.track.length);
      for (const { kind, from, to } of kept) kind === "required" ? links.require(from, to, 1) : links.forbid(from, to);
      const pass = withLinks(
        motion as MotionPass,
        { ...links.build(), longest: 1 },
        new Float64Array(motion?.begin?.length ?? 0),
      );
      const whole = await run({ ...bare(pass.priced), motion: null }, { gapPercent: 0 });
      // Links over several frames are among the candidates that were chosen.
      expect(found.graph.frameStart.at(-1)).toBeGreaterThan(answer.track.length);
      expect(answer.status).toBe("optimal");
      expect(Math.abs(answer.upperBound - whole.solution.upperBound)).toBeLessThan(1e-11 * Math.abs(answer.upperBound));
    }
    // Undone, the first answer comes back, with its numbers.
    const undone = await session.correct([]);
    expect(undone.upperBound).toBeCloseTo(found.solution.upperBound, 8);
    expect(linksOf(undone)).toEqual(linksOf({ track: found.track as Int32Array, parents: found.parents }));
  });

  test("what says what the answer has changes nothing, a link from afar is priced, and contradictions are refused in words", async () => {
    const { problem, run: found } = await solved("data/opensky_uk_60s.csv");
    const session = new Corrections({ problem, run: found }, { now });
    const [[from, to], [, other]] = linksOf({ track: found.track as Int32Array, parents: found.parents });
    const confirmed = await session.correct([{ kind: "required", from, to }]);
    expect(confirmed.track).toEqual(found.track);
    expect(confirmed.margins?.link[from]).toBe(Number.POSITIVE_INFINITY);
    expect(confirmed.lowerBound).toBe(found.solution.lowerBound);
    const without = await session.instead([], { from, to });
    expect(without.gone.map(String)).toContain(`${from},${to}`);
    expect(without.upperBound - found.solution.upperBound).toBeGreaterThanOrEqual(
      (found.margins?.link[from] ?? 0) - 1e-9,
    );

    // No candidate: the farthest detection of the next frame.
    const { x, y } = problem.detections as NonNullable<typeof problem.detections>;
    const next = Array.from({ length: found.frameStart[2] - found.frameStart[1] }, (_, n) => found.frameStart[1] + n);
    const distance = (d: number) => Math.hypot(x[d] - x[from], y[d] - y[from]);
    const far = next.reduce((most, d) => (distance(d) > distance(most) ? d : most));
    const moved = await session.correct([{ kind: "required", from, to: far }]);
    expect(moved.track[far]).toBe(moved.track[from]);
    expect(moved.upperBound).toBeGreaterThan(found.solution.upperBound + 5);

    const refusal = (list: readonly Correction[]) => session.correct(list).catch((error: Error) => error.message);
    expect(
      await refusal([
        { kind: "required", from, to },
        { kind: "forbidden", from, to },
      ]),
    ).toMatch(/is required already; undo/);
    expect(
      await refusal([
        { kind: "required", from, to },
        { kind: "required", from, to: other },
      ]),
    ).toMatch(/a detection has one next|does not lead/);
    expect(await refusal([{ kind: "required", from: to, to: from }])).toMatch(/does not lead to a later frame/);
    expect(await refusal([{ kind: "required", from: 0, to: 890 }])).toMatch(/--max-gap/);
  });
});
