import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type Comparison, compareLabels, comparePositions } from "../../src/scores/comparison.js";
import { METRICS, type MetricName } from "../../src/scores/metrics.js";

interface Point {
  readonly frame: number;
  readonly identity: number;
  readonly x: number;
}

const placed = (points: readonly Point[]) => ({
  frame: Uint32Array.from(points, ({ frame }) => frame),
  identity: Int32Array.from(points, ({ identity }) => identity),
  x: Float64Array.from(points, ({ x }) => x),
  y: new Float64Array(points.length),
});

const of = (name: MetricName, comparison: Comparison) => METRICS[name].of(comparison);

/** Up to three identities in up to four frames on a line, some missing; each identity at least `least` times. */
const recording = (least: number) =>
  fc
    .array(fc.record({ frame: fc.nat(3), identity: fc.nat(2), x: fc.integer({ min: 0, max: 30 }) }), {
      minLength: 1,
      maxLength: 9,
    })
    .map((points) => {
      const unique = [...new Map(points.map((point) => [`${point.frame} ${point.identity}`, point])).values()];
      const many = (identity: number) => unique.filter((point) => point.identity === identity).length >= least;
      return unique.filter(({ identity }) => many(identity)).sort((a, b) => a.frame - b.frame);
    });

const REACH = 7;
const both = fc.record({ truth: recording(1), answer: recording(2) });
const compare = ({ truth, answer }: { truth: Point[]; answer: Point[] }) =>
  comparePositions(4, placed(truth), placed(answer), REACH);

/** All ways to give each of `rows` another of `columns`, or none (−1). */
function* injections(rows: number, columns: readonly number[]): Generator<number[]> {
  if (rows === 0) {
    yield [];
    return;
  }
  for (const rest of injections(rows - 1, columns)) {
    yield [...rest, -1];
    for (const column of columns) if (!rest.includes(column)) yield [...rest, column];
  }
}

const greatest = (values: Iterable<number>) => Math.max(...values);

describe("against their definitions by brute force", () => {
  test("IDF1: the one-to-one choice of tracks on which most points agree", () => {
    fc.assert(
      fc.property(both, (given) => {
        const found = greatest(
          [...injections(3, [0, 1, 2])].map(
            (track) =>
              given.truth.filter((t) =>
                given.answer.some(
                  (a) => a.frame === t.frame && a.identity === track[t.identity] && Math.abs(a.x - t.x) <= REACH,
                ),
              ).length,
          ),
        );
        const all = given.truth.length + given.answer.length;
        expect(of("idf1", compare(given))).toBe(all === 0 ? null : (200 * found) / all);
      }),
    );
  });

  /** Least Σ min(d, c)² + c²/2 for each point not matched, frame by frame, in units of c². */
  function frameCosts({ truth, answer }: { truth: Point[]; answer: Point[] }) {
    return [0, 1, 2, 3].map((p) => {
      const [a, b] = [truth, answer].map((points) => points.filter(({ frame }) => frame === p).map(({ x }) => x));
      const d = (t: number, k: number) => Math.min(1, Math.abs(a[t] - b[k]) / REACH) ** 2;
      const all = [...injections(a.length, [...b.keys()])].map((match) => {
        const kept = match.flatMap((k, t) => (k < 0 ? [] : [d(t, k)]));
        const sum = kept.reduce((total, value) => total + value, 0);
        return { gospa: sum + (a.length + b.length - 2 * kept.length) / 2, sum, kept: kept.length };
      });
      const larger = Math.max(a.length, b.length);
      const full = all.filter(({ kept }) => kept === Math.min(a.length, b.length));
      const ospa = larger === 0 ? 0 : (Math.min(...full.map(({ sum }) => sum)) + larger - full[0].kept) / larger;
      return { gospa: Math.sqrt(Math.min(...all.map(({ gospa }) => gospa))), ospa: Math.sqrt(ospa) };
    });
  }

  test("GOSPA and OSPA: the least over all assignments of a frame", () => {
    fc.assert(
      fc.property(both, (given) => {
        const frames = frameCosts(given);
        for (const name of ["gospa", "ospa"] as const) {
          const mean = frames.reduce((sum, frame) => sum + frame[name], 0) / 4;
          expect(of(name, compare(given))).toBeCloseTo(mean, 12);
        }
      }),
    );
  });

  test("HOTA on tracks that number the detections: √(DetA · AssA), every true positive's own association", () => {
    const labels = fc.array(fc.tuple(fc.integer({ min: -1, max: 2 }), fc.integer({ min: -1, max: 2 })), {
      minLength: 2,
      maxLength: 12,
    });
    fc.assert(
      fc.property(labels, (detections) => {
        // One detection a frame: no identity is twice in one.
        const frameStart = Uint32Array.from({ length: detections.length + 1 }, (_, p) => p);
        const [target, track] = [0, 1].map((n) => Int32Array.from(detections, (each) => each[n]));
        const size = (labels: Int32Array, k: number) => labels.filter((label) => label === k).length;
        const tracked = track.map((k) => (k >= 0 && size(track, k) > 1 ? k : -1));
        const points = detections.map((_, d) => [target[d], tracked[d]]);
        const positives = points.filter(([t, k]) => t >= 0 && k >= 0);
        const truths = points.filter(([t]) => t >= 0).length;
        const answers = points.filter(([, k]) => k >= 0).length;
        const associations = positives.map(([t, k]) => {
          const together = positives.filter(([u, l]) => t === u && k === l).length;
          return together / (size(target, t) + size(tracked, k) - together);
        });
        const detA = positives.length / (truths + answers - positives.length);
        const assA = associations.reduce((sum, value) => sum + value, 0) / Math.max(1, positives.length);
        const comparison = compareLabels(frameStart, target, track);
        if (truths === 0) expect(of("hota", comparison)).toBeNull();
        else {
          expect(of("detA", comparison)).toBeCloseTo(100 * detA, 10);
          expect(of("assA", comparison)).toBeCloseTo(100 * assA, 10);
          expect(of("hota", comparison)).toBeCloseTo(100 * Math.sqrt(detA * assA), 10);
        }
      }),
    );
  });
});

describe("worked examples", () => {
  const line = (identity: number, frames: number[], x: number) => frames.map((frame) => ({ frame, identity, x }));

  it("MOTA = 1 − (misses + false points + switches) / points", () => {
    // A target in six frames: found by track 0 in the first three, lost in one, then by track 1; a false point in frame 2.
    const truth = line(0, [0, 1, 2, 3, 4, 5], 10);
    const answer = [...line(0, [0, 1, 2], 11), ...line(1, [4, 5], 9), ...line(2, [2, 3], 25)];
    const comparison = comparePositions(6, placed(truth), placed(answer.sort((a, b) => a.frame - b.frame)), REACH);
    expect(of("mota", comparison)).toBeCloseTo(100 * (1 - (1 + 2 + 1) / 6), 12);
    expect(of("idSwitches", comparison)).toBe(1);
    expect(of("fragments", comparison)).toBe(1);
    // IDTP 3 of 6 true and 7 answered points.
    expect(of("idf1", comparison)).toBeCloseTo((200 * 3) / 13, 12);
  });

  it("a pair that was matched stays matched, though another track comes nearer (Bernardin & Stiefelhagen 2008, Fig. 3)", () => {
    const truth = line(0, [0, 1, 2], 10);
    const answer = [...line(0, [0], 10), ...line(0, [1, 2], 13), ...line(1, [1, 2], 10)];
    const comparison = comparePositions(3, placed(truth), placed(answer), REACH);
    expect(of("idSwitches", comparison)).toBe(0);
    expect(of("mota", comparison)).toBeCloseTo(100 / 3, 12);
  });

  it.each(["linkErrors", "misses", "mmep"] as const)(
    "where points coincide they match by what is near elsewhere, in any order of rows: %s",
    (name) => {
      const truth = [...line(0, [0, 1, 2], 10), ...line(1, [0], 20), ...line(1, [1], 10), ...line(1, [2], 20)];
      for (const order of [1, -1]) {
        const sorted = [...truth].sort((a, b) => a.frame - b.frame || order * (a.identity - b.identity));
        const known = placed([...truth].sort((a, b) => a.frame - b.frame));
        expect(of(name, comparePositions(3, known, placed(sorted), REACH))).toBe(0);
      }
    },
  );

  it("a frame in which the target itself is not seen fragments nothing", () => {
    const frameStart = Uint32Array.of(0, 2, 3, 5);
    const target = Int32Array.of(0, 1, 1, 0, 1);
    expect(of("fragments", compareLabels(frameStart, target, target))).toBe(0);
    expect(of("mota", compareLabels(frameStart, target, target))).toBe(100);
  });

  it("a frame with points of the truth and none of the answer is missed, and fragments nothing, as in TrackEval", () => {
    const truth = line(0, [0, 1, 2, 3], 10);
    const answer = line(0, [0, 1, 3], 10);
    const alone = comparePositions(4, placed(truth), placed(answer), REACH);
    expect([of("fragments", alone), of("mota", alone)]).toEqual([0, 75]);
    // Track 0 is the pair of the step before, so that it stays matched to its target though track 1 is nearer.
    const two = [...line(0, [0, 1], 10), ...line(0, [3], 13), ...line(1, [3, 4], 10)];
    const stayed = comparePositions(5, placed(line(0, [0, 1, 2, 3], 10)), placed(two), REACH);
    expect(of("idSwitches", stayed)).toBe(0);
    // A point of another track in the frame makes it a time step.
    const seen = [...line(0, [0, 1], 10), ...line(2, [2], 25), ...line(0, [3], 10), ...line(2, [4], 25)];
    expect(of("fragments", comparePositions(5, placed(truth), placed(seen), REACH))).toBe(1);
  });

  it("HOTA counts a point at distance d up to α = 1 − d/(2c)", () => {
    // 1 − 3.5/14 = 0.75: matched for α = 0.05 … 0.75, 15 of 19 thresholds.
    const truth = line(0, [0, 1], 10);
    const comparison = comparePositions(2, placed(truth), placed(line(4, [0, 1], 13.5)), REACH);
    for (const name of ["hota", "detA", "assA"] as const) expect(of(name, comparison)).toBeCloseTo(1500 / 19, 10);
  });

  it("perfect tracks have perfect scores, whatever they are called", () => {
    const comparison = compareLabels(
      Uint32Array.of(0, 2, 4, 6),
      Int32Array.of(0, 1, 0, 1, 1, 0),
      Int32Array.of(8, 3, 8, 3, 3, 8),
    );
    const best: Partial<Record<MetricName, number>> = {
      idf1: 100,
      hota: 100,
      detA: 100,
      assA: 100,
      mota: 100,
      tracks: 2,
    };
    for (const name of Object.keys(METRICS) as MetricName[])
      expect(of(name, comparison)).toBeCloseTo(best[name] ?? 0, 10);
  });
});
