import { describe, expect, test } from "vitest";
import { compareLabels } from "../../src/scores/comparison.js";
import { scoreLineages } from "../../src/scores/lineages.js";

/** Labels by frame: truth and track of each detection, −1 for none, and the mothers of each. */
function score(
  frames: readonly (readonly (readonly [number, number])[])[],
  truth: readonly [number, number][],
  answer: readonly [number, number][],
  buffer = 0,
) {
  const all = frames.flat();
  const frameStart = Uint32Array.from([0, ...frames.map((_, p) => frames.slice(0, p + 1).flat().length)]);
  const labels = (n: 0 | 1) => Int32Array.from(all, (pair) => pair[n]);
  const lineages = { truth: new Map(truth), answer: new Map(answer) };
  return scoreLineages(compareLabels(frameStart, labels(0), labels(1), lineages), buffer);
}

/** A cell, 0, that is 1 and 2 from its third frame on; seven points and six edges. */
const points = (tracks: readonly (readonly number[])[]) =>
  [[0], [0], [1, 2], [1, 2], [1, 2]].map((truth, p) => truth.map((one, n) => [one, tracks[p][n]] as const));
const mothers: [number, number][] = [
  [1, 0],
  [2, 0],
];
const ALL = 10 * 8 + 1.5 * 7;

describe("one division", () => {
  test("is found where mother and daughters are", () => {
    const scores = score(points([[5], [5], [6, 7], [6, 7], [6, 7]]), mothers, [
      [6, 5],
      [7, 5],
    ]);
    expect(scores).toMatchObject({ divisionF1: 100, tra: 100, det: 100, lnk: 100 });
    expect(scores.divisions).toEqual({ truth: 1, answer: 1, found: 1 });
  });

  test("is missed where a daughter goes on with her mother's track: an edge is added, and one changes its kind", () => {
    const scores = score(points([[5], [5], [5, 7], [5, 7], [5, 7]]), mothers, []);
    expect(scores).toMatchObject({ divisionPrecision: null, divisionRecall: 0, divisionF1: 0, det: 100 });
    expect(scores.operations).toEqual({
      falseNegatives: 0,
      falsePositives: 0,
      edgesDeleted: 0,
      edgesAdded: 1,
      edgesChanged: 1,
    });
    expect(scores.tra).toBeCloseTo(100 * (1 - 2.5 / ALL), 12);
    expect(scores.lnk).toBeCloseTo(100 * (1 - 2.5 / (1.5 * 7)), 12);
  });

  test("a frame late, of which one daughter is missed until then, is one within a frame", () => {
    // Truth divides after frame 1, the answer after frame 2: 6 follows 5, and the other daughter's first point is no track's.
    const late = points([[5], [5], [5, -1], [6, 7], [6, 7]]);
    const parents: [number, number][] = [
      [6, 5],
      [7, 5],
    ];
    expect(score(late, mothers, parents).divisions).toEqual({ truth: 1, answer: 1, found: 0 });
    const scores = score(late, mothers, parents, 1);
    expect(scores).toMatchObject({ divisionPrecision: 100, divisionRecall: 100, divisionF1: 100 });
    // A point is missed with both its edges, the edge to 7 is false, and those to 5 and 6 are of the wrong kind.
    expect(scores.operations).toEqual({
      falseNegatives: 1,
      falsePositives: 0,
      edgesDeleted: 1,
      edgesAdded: 2,
      edgesChanged: 2,
    });
    expect(scores.tra).toBeCloseTo(100 * (1 - (10 + 1 + 2 * 1.5 + 2) / ALL), 12);
  });

  test("an early one is within a frame, and of other daughters none is", () => {
    const early = [
      [[0, 5]],
      [
        [0, 6],
        [-1, 7],
      ],
      [
        [1, 6],
        [2, 7],
      ],
      [
        [1, 6],
        [2, 7],
      ],
      [
        [1, 6],
        [2, 7],
      ],
    ] as const;
    const parents: [number, number][] = [
      [6, 5],
      [7, 5],
    ];
    // The answer's mother is in frame 0, her daughters in frame 1, where one of them is no target.
    expect(score(early, mothers, parents).divisions.found).toBe(0);
    const scores = score(early, mothers, parents, 1);
    expect(scores.divisions.found).toBe(1);
    expect(scores.operations).toMatchObject({ falseNegatives: 0, falsePositives: 1 });
    const other = early.map((frame, p) => (p === 2 ? [[1, 6] as const, [2, 8] as const] : frame));
    expect(score(other, mothers, parents, 3).divisions.found).toBe(0);
  });

  test("a track of one detection is a point, and a mother", () => {
    const scores = score(
      [
        [[0, 5]],
        [
          [1, 6],
          [2, 7],
        ],
      ],
      mothers,
      [
        [6, 5],
        [7, 5],
      ],
    );
    expect(scores).toMatchObject({ divisionF1: 100, tra: 100 });
  });
});

test("an answer worse than none is 0, and scores of nothing are none", () => {
  const worse = score([[[0, -1], ...Array.from({ length: 30 }, (_, n) => [-1, n] as const)], [[0, -1]]], [], []);
  expect(worse).toMatchObject({ tra: 0, det: 0, lnk: 0, divisionF1: null });
});
