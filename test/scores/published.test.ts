import { describe, expect, test } from "vitest";
import { type Comparison, comparePositions } from "../../src/scores/comparison.js";
import { METRICS, type MetricName } from "../../src/scores/metrics.js";

/**
 * Numbers that reference implementations publish for inputs small enough to be written down here. Their own data sets (TrackEval's and
 * py-motmetrics's MOTChallenge sequences) are long tables of rectangles, which have no place here and no distance between points.
 */

/** A frame as py-motmetrics takes it: objects, hypotheses, and the distance of each object to each hypothesis; NaN where they cannot be the same. */
type Frame = readonly [objects: readonly number[], hypotheses: readonly number[], distances: readonly number[][]];

/** The comparison of such frames; no distance is too long for a match. Unlike tracks.csv, tracks of a single point take part. */
function fromDistances(frames: readonly Frame[]): Comparison {
  const reach = 10;
  const frameStart = [0];
  const pairs: { truth: number; answer: number; distance: number }[] = [];
  const points = { truth: [] as [number, number][], answer: [] as [number, number][] };
  frames.forEach(([objects, hypotheses, distances], frame) => {
    objects.forEach((_, o) => {
      hypotheses.forEach((_, h) => {
        const distance = distances[o][h] / reach;
        const [truth, answer] = [points.truth.length + o, points.answer.length + h];
        if (!Number.isNaN(distance)) pairs.push({ truth, answer, distance });
      });
    });
    points.truth.push(...objects.map((id) => [frame, id] as [number, number]));
    points.answer.push(...hypotheses.map((id) => [frame, id] as [number, number]));
    frameStart.push(pairs.length);
  });
  const identified = (list: readonly [number, number][]) => {
    const names = [...new Set(list.map(([, id]) => id))];
    return {
      frame: Uint32Array.from(list, ([frame]) => frame),
      identity: Int32Array.from(list, ([, id]) => names.indexOf(id)),
      identities: names.length,
      next: Int32Array.from(list, ([, id], n) => list.findIndex(([, other], k) => k > n && other === id)),
      before: Int32Array.from(list, ([, id], n) => list.findLastIndex(([, other], k) => k < n && other === id)),
    };
  };
  return {
    frames: frames.length,
    truth: identified(points.truth),
    answer: identified(points.answer),
    pairs: {
      frameStart: Uint32Array.from(frameStart),
      truth: Uint32Array.from(pairs, ({ truth }) => truth),
      answer: Uint32Array.from(pairs, ({ answer }) => answer),
      distance: Float64Array.from(pairs, ({ distance }) => distance),
    },
    singles: 0,
  };
}

function expectScores(comparison: Comparison, published: Partial<Record<MetricName, number>>, digits: number): void {
  for (const [name, value] of Object.entries(published)) {
    expect(METRICS[name as MetricName].of(comparison), name).toBeCloseTo(value, digits);
  }
}

const NOT = Number.NaN;

describe("py-motmetrics (github.com/cheind/py-motmetrics)", () => {
  // Readme.md, "Usage" and "Computing metrics": the frames, and the table with rows "full" and "part".
  const usage: Frame[] = [
    [
      [1, 2],
      [1, 2, 3],
      [
        [0.1, NOT, 0.3],
        [0.5, 0.2, 0.3],
      ],
    ],
    [[1, 2], [1], [[0.2], [0.4]]],
    [
      [1, 2],
      [1, 3],
      [
        [0.6, 0.2],
        [0.1, 0.6],
      ],
    ],
  ];

  test("the example of its Readme: IDF1 83.3 %, one false alarm, one miss, one switch, one fragment, MOTA 50 %", () => {
    const comparison = fromDistances(usage);
    expectScores(comparison, { idf1: 83.3, mota: 50 }, 1);
    expectScores(comparison, { idSwitches: 1, fragments: 1 }, 12);
  });

  test("its first two frames: IDF1 75 %, no switch, no fragment, MOTA 50 %", () => {
    const comparison = fromDistances(usage.slice(0, 2));
    expectScores(comparison, { idf1: 75, mota: 50, idSwitches: 0, fragments: 0 }, 12);
  });

  // motmetrics/tests/test_metrics.py: test_mota_motp, and test_extract_counts on the same frames.
  test("false alarms, misses, a swap and matches that are kept: 2 switches, MOTA 1 − 6/8; 3 + 3 of 8 points agree", () => {
    const comparison = fromDistances([
      [[], [1, 2], []],
      [[1, 2], [], [[], []]],
      [
        [1, 2],
        [1, 2],
        [
          [1, 0.5],
          [0.3, 1],
        ],
      ],
      [
        [1, 2],
        [1, 2],
        [
          [0.2, NOT],
          [NOT, 0.1],
        ],
      ],
      [
        [1, 2],
        [1, 2],
        [
          [5, 1],
          [1, 5],
        ],
      ],
      [[], [], []],
    ]);
    expectScores(comparison, { mota: 25, idSwitches: 2, idf1: (200 * 6) / 16 }, 12);
  });

  // The same file, test_ids: a swap, and an object that takes the track of another.
  test("a swap and a change to a new track are 3 switches, an object that is new is none: MOTA 1 − 3/10", () => {
    const comparison = fromDistances([
      [[], [], []],
      [
        [1, 2],
        [1, 2],
        [
          [1, 0],
          [0, 1],
        ],
      ],
      [
        [1, 2],
        [1, 2],
        [
          [0.4, NOT],
          [NOT, 0.4],
        ],
      ],
      [
        [1, 2],
        [1, 2],
        [
          [0, 1],
          [1, 0],
        ],
      ],
      [
        [1, 2],
        [2, 3],
        [
          [1, 0],
          [0.4, 0.7],
        ],
      ],
      [
        [1, 3],
        [2, 3],
        [
          [1, 0],
          [0.4, 0.7],
        ],
      ],
      [[], [], []],
    ]);
    expectScores(comparison, { mota: 70, idSwitches: 3, fragments: 0 }, 12);
  });

  // The same file, test_correct_average, after figure 3 of Bernardin & Stiefelhagen 2008.
  test("four objects missed in four frames, then one found in four: MOTA 0.2, not the mean of the frames", () => {
    const missed: Frame = [[1, 2, 3, 4], [], [[], [], [], []]];
    const found: Frame = [[4], [4], [[0]]];
    expectScores(fromDistances([missed, missed, missed, missed, found, found, found, found]), { mota: 20 }, 12);
  });
});

describe("Stone Soup (github.com/dstl/Stone-Soup), stonesoup/metricgenerator/tests/test_ospametric.py", () => {
  /** Two frames of points on a line, of which the n-th of either frame are one identity. */
  const placed = (frames: readonly (readonly number[])[]) => ({
    frame: Uint32Array.from(frames.flatMap((points, frame) => points.map(() => frame))),
    identity: Int32Array.from(frames.flatMap((points) => points.map((_, n) => n))),
    x: Float64Array.from(frames.flat()),
    y: new Float64Array(frames.flat().length),
  });
  const five = [0, 1, 2, 3, 4];

  // test_ospametric_computemetric, p = 2, c = 10.
  test("OSPA of five tracks 0.5 and then 0.2 off is 0.5 and 0.2", () => {
    const truth = placed([five, five.map((i) => i + 1)]);
    const tracks = placed([five.map((i) => i + 0.5), five.map((i) => i + 1.2)]);
    expectScores(comparePositions(2, truth, tracks, 10), { ospa: (0.5 + 0.2) / 2 / 10 }, 12);
  });

  // test_ospa_computemetric_cardinality_error, p = 2, c = 10: the same with four of the tracks, by frame 4.49444 and 4.47571.
  test("OSPA of four tracks of five targets is 4.494 and 4.476", () => {
    const four = five.slice(0, 4);
    const truth = placed([five, five.map((i) => i + 1)]);
    const tracks = placed([four.map((i) => i + 0.5), four.map((i) => i + 1.2)]);
    expectScores(comparePositions(2, truth, tracks, 10), { ospa: (4.49444 + 4.47571) / 2 / 10 }, 6);
  });

  // test_switching_gospametric_computemetric, c = 2, p = 2: its second time step without the switching term, which this GOSPA does not have.
  test("GOSPA with one target missed and one false track is c", () => {
    const truth = [1, 2, 3];
    const comparison = comparePositions(
      2,
      placed([truth, truth]),
      placed([
        [2, 1, 100],
        [2, 1, 100],
      ]),
      2,
    );
    expectScores(comparison, { gospa: 1 }, 12);
  });
});
