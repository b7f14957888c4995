import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";
import { finiteOrNull } from "../../src/rows/results.js";
import type { Run } from "../../src/run/run.js";
import { bare, now, run } from "./support.js";

/** Where costs come from: scales, ties, signs, and twenty orders of magnitude side by side. */
const cost = fc.oneof(
  { weight: 4, arbitrary: fc.constant(() => fc.double({ min: -1, max: 1, noNaN: true })) },
  { weight: 2, arbitrary: fc.constant(() => fc.double({ min: 0, max: 1, noNaN: true })) },
  { weight: 2, arbitrary: fc.constant(() => fc.constantFrom(0, 1)) },
  { weight: 1, arbitrary: fc.constant(() => fc.constantFrom(0, -0)) },
  { weight: 1, arbitrary: fc.constant(() => fc.constant(7)) },
  { weight: 1, arbitrary: fc.constant(() => fc.constantFrom(1e-10, 1, 1e10, -1e10, 3e-10, 0)) },
  { weight: 1, arbitrary: fc.constant(() => fc.constantFrom(9.9e29, -9.9e29, 1, 1e-300)) },
  { weight: 1, arbitrary: fc.constant(() => fc.constantFrom(5e-324, 1e-310, 0, -5e-324)) },
);
const scale = fc.constantFrom(1e-9, 1e-3, 1, 1, 1, 1e3, 1e9);

const counts = fc.oneof(
  fc.array(fc.nat(5), { minLength: 2, maxLength: 6 }),
  fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 2, max: 6 }))
    .map(([n, t]) => new Array<number>(t).fill(n)),
);

/** Any priced problem a reader or a cost may hand over: frames of any size, links and triplets missing at random. */
const pricedProblem: fc.Arbitrary<PricedProblem> = fc
  .record({
    counts,
    cost,
    scale,
    density: fc.constantFrom(1, 1, 0.8, 0.5, 0.1, 0),
    tripletDensity: fc.constantFrom(1, 1, 0.8, 0.3, null, "absolute" as const, "square" as const),
    open: fc.boolean(),
  })
  .chain(({ counts, cost, scale, density, tripletDensity, open }) => {
    const most = counts.slice(1).reduce((sum, n, p) => sum + n * counts[p], 0);
    const cubes = counts.slice(2).reduce((sum, n, p) => sum + n * counts[p] * counts[p + 1], 0);
    const detections = counts.reduce((a, b) => a + b, 0);
    const many = (length: number) => fc.array(cost(), { minLength: length, maxLength: length });
    return fc
      .record({
        link: many(most),
        triplet: many(cubes),
        rim: many(2 * detections),
        keep: fc.infiniteStream(fc.nat(99)),
      })
      .map(({ link, triplet, rim, keep }) => {
        const kept = (share: number) => share === 1 || (keep.next().value as number) < 100 * share;
        const frameStart = Uint32Array.from(
          [0, ...counts].map((_, p) => counts.slice(0, p).reduce((a, b) => a + b, 0)),
        );
        const [tail, head]: number[][] = [[], []];
        for (let p = 0; p + 1 < counts.length; p++) {
          for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
            for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
              if (kept(density)) [tail[tail.length], head[head.length]] = [i, j];
            }
          }
        }
        const times = (values: readonly number[], length: number) =>
          Float64Array.from({ length }, (_, n) => {
            const value = values[n] * scale;
            return Math.abs(value) < 1e30 ? value : values[n];
          });
        const triplets = (): PricedProblem["triplets"] => {
          if (tripletDensity === null) return null;
          if (typeof tripletDensity === "string") {
            // Numbers kept per link come from positions and velocities, which are below 1e15.
            const numbers = times([...link, ...link.toReversed()], 2 * tail.length).map((m) =>
              Math.max(-1e15, Math.min(1e15, m)),
            );
            const perLink = tripletDensity === "square" ? numbers : numbers.subarray(0, tail.length);
            return { kind: "implicit", rule: tripletDensity, perLink };
          }
          const rowStart = [0];
          const successor: number[] = [];
          for (const j of head) {
            tail.forEach((from, f) => {
              if (from === j && kept(tripletDensity)) successor.push(f);
            });
            rowStart.push(successor.length);
          }
          const cost = times(triplet, successor.length);
          return { kind: "csr", rowStart: Uint32Array.from(rowStart), successor: Uint32Array.from(successor), cost };
        };
        return {
          links: {
            frameStart,
            tail: Int32Array.from(tail),
            head: Int32Array.from(head),
            cost: times(link, tail.length),
          },
          triplets: triplets(),
          birthDeath: open ? { birth: times(rim, detections), death: times(rim.slice(detections), detections) } : null,
        };
      });
  });

/** Whether consecutive links may follow each other, by the problem alone. */
function allows({ links, triplets }: PricedProblem, e: number, f: number): boolean {
  if (links.head[e] !== links.tail[f]) return false;
  if (triplets === null || triplets.kind === "implicit") return true;
  return triplets.successor.subarray(triplets.rowStart[e], triplets.rowStart[e + 1]).includes(f);
}

/** Every track's links exist and may follow each other; without births every detection is linked through. */
function expectTracks(problem: PricedProblem, { track, frameStart }: Run): void {
  if (track === null) return;
  const { tail, head } = problem.links;
  const frames = frameStart.length - 1;
  const linked = Array.from(tail, (i, e) => (track[i] >= 0 && track[i] === track[head[e]] ? e : -1)).filter(
    (e) => e >= 0,
  );
  for (const e of linked) {
    const next = linked.find((f) => tail[f] === head[e]);
    if (next !== undefined) expect(allows(problem, e, next)).toBe(true);
  }
  if (problem.birthDeath !== null) return;
  expect(linked).toHaveLength((frames - 1) * frameStart[1]);
}

async function solvesOrRefuses(problem: PricedProblem, ascent: "bundle" | "polyak" | "bidirectional" | "rmap") {
  const begin = now();
  let outcome: Run;
  try {
    outcome = await run(bare(problem), { ascent, iterations: 150, gapPercent: 0 });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    expect(error.message).toMatch(/^frames?[^\n]*$/);
    expect(problem.birthDeath).toBeNull();
    return;
  } finally {
    // Most take milliseconds.
    expect(now() - begin).toBeLessThan(10);
  }
  const { result, solution } = outcome;
  const { lowerBound, upperBound, gap } = solution;
  expect([lowerBound, upperBound, gap]).not.toContain(Number.NaN);
  expect(lowerBound).toBeLessThanOrEqual(upperBound);
  expect(gap).toBeGreaterThanOrEqual(0);
  expect(lowerBound).toBeLessThan(Number.POSITIVE_INFINITY);
  expect(result.status === "unsolved").toBe(solution.tracks === null);
  expect(result.upperBound).toBe(finiteOrNull(upperBound));
  for (const row of solution.history) {
    expect([row.lowerBound, row.upperBound, row.gap]).not.toContain(Number.NaN);
  }
  expectTracks(problem, outcome);
}

describe("whatever the costs, links, triplets and counts: certified bounds or one line of refusal", () => {
  test.each([
    { ascent: "bundle", numRuns: 600 },
    { ascent: "polyak", numRuns: 250 },
    { ascent: "bidirectional", numRuns: 250 },
    { ascent: "rmap", numRuns: 250 },
  ] as const)("$ascent", async ({ ascent, numRuns }) => {
    await fc.assert(
      fc.asyncProperty(pricedProblem, (problem) => solvesOrRefuses(problem, ascent)),
      { numRuns },
    );
  });
});
