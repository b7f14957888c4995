import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { randomStreams } from "../../src/core/random.js";
import { parseDetections } from "../../src/formats/detections.js";
import { parseFixedLinks } from "../../src/formats/fixed-links.js";
import { openBackend } from "../../src/run/device.js";
import type { ProblemOverrides } from "../../src/run/overrides.js";
import { makeProblem } from "../../src/run/problem.js";
import { runProblem } from "../../src/run/run.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rmap-links-"));
});

const now = () => performance.now() / 1000;

async function solve(text: string, links: string | null, overrides: ProblemOverrides = {}, passes = 1) {
  const file = join(folder, "links.csv");
  if (links !== null) writeFileSync(file, links);
  const recording = parseDetections("d.csv", Buffer.from(text));
  const given = { ...overrides, passes, ...(links !== null && { links: file }) };
  const problem = await makeProblem({ kind: "detections", recording }, given, { threads: 1, now });
  const backend = await openBackend("cpu", { threads: 1, now });
  return runProblem(problem, { gapPercent: 0, threads: 1, backend, now, cuts: "auto" });
}

/** Four frames of three wandering detections. */
function scene(seed: number): string {
  const random = randomStreams(seed).next().value;
  const rows = [0, 1, 2, 3].flatMap((p) =>
    [0, 1, 2].map((n) => `${p},${n + 0.4 * p + 0.4 * random.normal()},${0.5 * random.normal()}`),
  );
  return `# dt=1\nframe,x,y\n${rows.join("\n")}\n`;
}

const linked = (track: Int32Array, i: number, j: number) => track[i] === track[j];

describe("fixed links", () => {
  test("a result says that its cost cannot be compared where its costs come from tracks that keep to the links", async () => {
    const row = "frame,i,j,link\n1,0,0,required\n";
    const noteOf = async (passes: number) => (await solve(scene(1), row, {}, passes)).result.notes.join(" ");
    expect(await noteOf(2)).toMatch(/cannot be compared with that of a solve without them/);
    expect(await noteOf(1)).not.toMatch(/cannot be compared/);
  });

  test("the best with a link and the best without it: one of them is the best of all, and tracks keep to what is asked", async () => {
    let changed = 0;
    for (const seed of [1, 2, 3]) {
      const text = scene(seed);
      const open = { gate: "none", births: { birth: 3, death: 3 } } as const;
      const free = await solve(text, null, open);
      const best = free.result.upperBound as number;
      for (const [i, j] of [
        [0, 0],
        [0, 1],
        [2, 0],
      ]) {
        const row = (kind: string) => `frame,i,j,link\n1,${i},${j},${kind}\n`;
        const withIt = await solve(text, row("required"), open);
        const without = await solve(text, row("forbidden"), open);
        expect(linked(withIt.track as Int32Array, 3 + i, 6 + j)).toBe(true);
        expect(linked(without.track as Int32Array, 3 + i, 6 + j)).toBe(false);
        const [a, b] = [withIt, without].map(({ result }) => {
          expect(result.status).toBe("optimal");
          return result.upperBound as number;
        });
        const inBest = linked(free.track as Int32Array, 3 + i, 6 + j);
        expect(inBest ? a : b).toBeCloseTo(best, 8);
        expect(inBest ? b : a).toBeGreaterThanOrEqual(best - 1e-9);
        if (Math.abs(a - b) > 1e-6) changed++;
      }
    }
    expect(changed).toBeGreaterThan(5);
  }, 20_000);

  test("a required link may leave out frames, and holds through all passes", async () => {
    const rows = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((p) => [
      `${p},${p},0`,
      ...(p === 4 ? [] : [`${p},${p},${p < 4 ? 5 : 9}`]),
    ]);
    const text = `# dt=1\nframe,x,y\n${rows.join("\n")}\n`;
    const { track } = await solve(text, "frame,i,j,link,next\n3,1,1,required,5\n", {}, 5);
    const found = track as Int32Array;
    expect(linked(found, 7, 10)).toBe(true);
    expect(linked(found, 0, 8)).toBe(true);
  });

  test.each([
    ["frame,x,y", "", ""],
    ["frame,x,y,z", ",3", ",8"],
    ["frame,x,y,vx,vy", ",1,0", ",1,0"],
  ])(
    "%s: a required link may leave out frames where there are too few links to learn from",
    async (columns, low, high) => {
      const rows = [0, 1, 2, 3].flatMap((p) => [`${p},${p},0${low}`, ...(p === 1 ? [] : [`${p},${p + 10},0${high}`])]);
      const text = `# dt=1\n${columns}\n${rows.join("\n")}\n`;
      const links = "frame,i,j,link,next\n0,1,1,required,2\n";
      const { track, result } = await solve(text, links, {}, 5);
      expect(result.status).toBe("optimal");
      expect(linked(track as Int32Array, 1, 4)).toBe(true);
      await expect(solve(text, links, {}, 2)).rejects.toThrow(/--passes 2: .*give at least 3/);
      await expect(solve(text, links, { births: "none" }, 5)).rejects.toThrow(/links.csv: with --births none/);
    },
  );

  test("what cannot hold, or names nothing, is refused in one line with its place", async () => {
    const starts = Uint32Array.of(0, 2, 4, 4, 6);
    const parse = (rows: string) => () =>
      parseFixedLinks("l.csv", Buffer.from(`frame,i,j,link,next\n${rows}`), starts, { first: 10, step: 1 });
    expect(parse("10,0,1,required,\n10,1,1,required,\n")).toThrow(/l\.csv:3, column j: .*required link already/);
    expect(parse("10,0,1,required,\n10,0,1,forbidden,\n")).toThrow(/stated on line 2 already/);
    expect(parse("10,0,2,required,\n")).toThrow(InputError);
    expect(parse("11,0,0,required,\n")).toThrow(/frame 12, which has no detections/);
    expect(parse("11,0,0,wanted,13\n")).toThrow(/"wanted".*give required or forbidden/);
    expect(parse("11,0,0,required,11\n")).toThrow(/name a later frame/);
    const both = parse("11,0,0,required,13\n10,0,0,forbidden,\n")();
    expect([both.required, both.ruledOut, both.longest]).toEqual([1, 1, 2]);
    await expect(solve(scene(1), "frame,i,j,link\n", { cost: "likelihood" })).rejects.toThrow(/takes no fixed links/);
    const far = "frame,i,j,link,next\n0,0,0,required,2\n";
    await expect(solve(scene(1), "frame,i,j,link\n", { births: "none", maxGap: 1 })).rejects.toThrow(
      /leave one of them out/,
    );
    await expect(solve(scene(1), far, { maxGap: 0 })).rejects.toThrow(
      /--max-gap 0: .* link that leaves out frames; give at least 1/,
    );
  });
});
