import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linkErrors, scoreTracks } from "../../src/scores/score.js";

/** All N targets in all T frames, shuffled within each; every detection in a track through all frames. */
const fullRecording = fc.integer({ min: 1, max: 6 }).chain((n) =>
  fc.integer({ min: 2, max: 6 }).chain((t) => {
    const shuffle = fc.shuffledSubarray([...Array(n).keys()], { minLength: n, maxLength: n });
    const frames = fc.array(shuffle, { minLength: t, maxLength: t });
    return fc.record({ n: fc.constant(n), t: fc.constant(t), target: frames, track: frames });
  }),
);

describe("scoreTracks", () => {
  it("is the simulations' definition where every target is in every frame", () => {
    fc.assert(
      fc.property(fullRecording, ({ n, t, target, track }) => {
        const frameStart = Uint32Array.from({ length: t + 1 }, (_, p) => p * n);
        const scores = scoreTracks(frameStart, Int32Array.from(target.flat()), Int32Array.from(track.flat()));
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
        expect(scores?.falseLinks).toBe(scores?.missedLinks);
      }),
    );
  });

  it("does not depend on the numbers of targets and tracks", () => {
    const frameStart = Uint32Array.of(0, 2, 4, 6);
    const target = Int32Array.of(0, 1, 1, 0, 0, 1);
    const track = Int32Array.of(0, 1, 1, 0, 1, 0);
    const renamed = scoreTracks(
      frameStart,
      target.map((k) => 900 - k),
      track.map((k) => 7 + 3 * k),
    );
    expect(renamed).toEqual(scoreTracks(frameStart, target, track));
    expect(renamed).toMatchObject({ mmep: 50, itcp: 100, missedLinks: 2, falseLinks: 2, brokenTargets: 2 });
  });

  it("counts true links only between consecutive frames, and none at false detections", () => {
    // Target 5 is missed in frame 1, target 6 seen throughout, one false detection in frame 1; frame 3 is empty.
    const frameStart = Uint32Array.of(0, 2, 4, 6, 6, 7);
    const target = Int32Array.of(5, 6, 6, -1, 5, 6, 6);
    const track = Int32Array.of(0, 1, 1, 0, 0, 1, 1);
    expect(scoreTracks(frameStart, target, track)).toEqual({
      mmep: 0,
      itcp: 0,
      trueLinks: 2,
      missedLinks: 0,
      falseLinks: 2,
      targets: 1,
      brokenTargets: 0,
    });
    expect(linkErrors(frameStart, target, track)).toEqual({ wrong: [0, 3, 3, 4], missed: [] });
  });

  it("misses the true links of detections in no track", () => {
    const scores = scoreTracks(Uint32Array.of(0, 1, 2, 3), Int32Array.of(4, 4, 4), Int32Array.of(2, 2, -1));
    expect(scores).toMatchObject({ mmep: 50, itcp: 100, trueLinks: 2, missedLinks: 1, falseLinks: 0 });
  });

  it("tells a lost link (asymmetric: two tracks of one target) from a false one (one track of two targets)", () => {
    const frameStart = Uint32Array.of(0, 1, 2);
    expect(scoreTracks(frameStart, Int32Array.of(3, 3), Int32Array.of(0, 1))).toMatchObject({
      mmep: 100,
      falseLinks: 0,
    });
    expect(scoreTracks(frameStart, Int32Array.of(3, 4), Int32Array.of(0, 0))).toBeNull();
    expect(linkErrors(frameStart, Int32Array.of(3, 4), Int32Array.of(0, 0))).toEqual({ wrong: [0, 1], missed: [] });
  });
});
