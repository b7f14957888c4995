import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareLabels } from "../../src/scores/comparison.js";
import { linkCounts, linkErrors } from "../../src/scores/links.js";
import { scoreTracks } from "../../src/scores/metrics.js";

const score = (frameStart: number[], target: number[], track: number[]) => {
  const comparison = compareLabels(Uint32Array.from(frameStart), Int32Array.from(target), Int32Array.from(track));
  return { scores: scoreTracks(comparison), counts: linkCounts(comparison) };
};

/** All N targets in all T frames, shuffled within each; every detection in a track through all frames. */
const fullRecording = fc.integer({ min: 1, max: 6 }).chain((n) =>
  fc.integer({ min: 2, max: 6 }).chain((t) => {
    const shuffle = fc.shuffledSubarray([...Array(n).keys()], { minLength: n, maxLength: n });
    const frames = fc.array(shuffle, { minLength: t, maxLength: t });
    return fc.record({ n: fc.constant(n), t: fc.constant(t), target: frames, track: frames });
  }),
);

describe("the links of tracks that number the detections", () => {
  it("give the paper's MMEP and ITCP where every target is in every frame", () => {
    fc.assert(
      fc.property(fullRecording, ({ n, t, target, track }) => {
        const frameStart = Array.from({ length: t + 1 }, (_, p) => p * n);
        const { scores, counts } = score(frameStart, target.flat(), track.flat());
        let wrongLinks = 0;
        const wrongTracks = new Set<number>();
        for (let p = 0; p + 1 < t; p++) {
          for (let k = 0; k < n; k++) {
            if (target[p][track[p].indexOf(k)] === target[p + 1][track[p + 1].indexOf(k)]) continue;
            wrongLinks++;
            wrongTracks.add(k);
          }
        }
        expect(scores?.mmep).toBe((100 * wrongLinks) / (n * (t - 1)));
        expect(scores?.itcp).toBe((100 * wrongTracks.size) / n);
        expect(counts).toMatchObject({ missed: wrongLinks, wrong: wrongLinks });
        expect(scores?.misses).toBe(scores?.mmep);
        expect(scores?.linkErrors).toBe(scores?.mmep);
      }),
    );
  });

  it("do not depend on the numbers of targets and tracks", () => {
    const frameStart = [0, 2, 4, 6];
    const [target, track] = [
      [0, 1, 1, 0, 0, 1],
      [0, 1, 1, 0, 1, 0],
    ];
    const renamed = score(
      frameStart,
      target.map((k) => 900 - k),
      track.map((k) => 7 + 3 * k),
    );
    expect(renamed).toEqual(score(frameStart, target, track));
    expect(renamed.scores).toMatchObject({ mmep: 50, itcp: 100, falseLinks: 50, idSwitches: 2 });
  });

  it("reach over frames in which a target is missed, but for MMEP and ITCP", () => {
    // Target 5 is missed in frame 1, target 6 seen throughout, one false detection in frame 1; frame 3 is empty.
    const frameStart = [0, 2, 4, 6, 6, 7];
    const target = [5, 6, 6, -1, 5, 6, 6];
    const { scores, counts } = score(frameStart, target, [0, 1, 1, 0, 0, 1, 1]);
    expect(counts).toEqual({
      ...{ truth: 4, missed: 1, consecutive: 2, consecutiveMissed: 0 },
      ...{ targets: 1, brokenTargets: 0, answer: 5, wrong: 2 },
    });
    expect(scores).toMatchObject({ mmep: 0, itcp: 0, misses: 25, falseLinks: 40 });
    const errors = linkErrors(
      Uint32Array.from(frameStart),
      Int32Array.from(target),
      Int32Array.of(0, 1, 1, 0, 0, 1, 1),
    );
    expect(errors).toEqual({ wrong: [0, 3, 3, 4], missed: [0, 4] });
  });

  it("are missed where a target is in no track at all, or only partly", () => {
    expect(score([0, 1, 2, 3], [4, 4, 4], [2, 2, -1])).toMatchObject({
      scores: { mmep: 50, itcp: 100, misses: 50 },
      counts: { truth: 2, missed: 1, answer: 1, wrong: 0 },
    });
    expect(score([0, 2, 4], [4, 7, 4, 7], [-1, 0, -1, 0])).toMatchObject({
      scores: { mmep: 50, itcp: 50, misses: 50, idf1: (100 * 4) / 6 },
    });
    expect(score([0, 1, 2], [4, 4], [-1, -1]).scores).toMatchObject({
      mmep: 100,
      itcp: 100,
      idf1: 0,
      falseLinks: null,
    });
  });

  it("tell a lost link (two tracks of one target) from a false one (one track of two targets)", () => {
    expect(score([0, 1, 2], [3, 3], [0, 1])).toMatchObject({
      scores: { mmep: 100, falseLinks: null, singles: 2, tracks: 0 },
      counts: { wrong: 0 },
    });
    expect(score([0, 1, 2], [3, 4], [0, 0]).scores).toBeNull();
    expect(linkErrors(Uint32Array.of(0, 1, 2), Int32Array.of(3, 4), Int32Array.of(0, 0))).toEqual({
      wrong: [0, 1],
      missed: [],
    });
  });
});
