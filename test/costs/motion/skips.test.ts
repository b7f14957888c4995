import { describe, expect, test } from "vitest";
import { type Detections, frameRange } from "../../../src/core/detections.js";
import { randomStreams } from "../../../src/core/random.js";
import { bindStudentT, minusLogDensity } from "../../../src/costs/density/student.js";
import { firstFit } from "../../../src/costs/motion/first-fit.js";
import { fitTracks } from "../../../src/costs/motion/fit.js";
import { GAPS_NOT_SOUGHT } from "../../../src/costs/motion/gaps.js";
import { trackCosts } from "../../../src/costs/motion/track-costs.js";
import { damaged } from "../../../src/experiments/baselines/damage.js";
import { readDetections } from "../../../src/formats/detections.js";
import { scene } from "../scenes.js";

const SPANS = [1, 2, 3, 4];

/** A crowd of which most stand, to the bit, and a few walk. */
function crowd(): Detections {
  const random = randomStreams(3).next().value;
  const people = Array.from({ length: 60 }, (_, n) => {
    const { cos, sin } = random.direction();
    const speed = n % 4 === 0 ? 0.3 : 0;
    return { x: random.uniform(0, 20), y: random.uniform(0, 20), vx: speed * cos, vy: speed * sin };
  });
  const frames = Array.from({ length: 25 }, (_, p) =>
    people.map(({ x, y, vx, vy }) => {
      const noise = () => (vx === 0 ? 0 : 0.02 * random.normal());
      return [x + p * vx + noise(), y + p * vy + noise(), 0, 0] as const;
    }),
  );
  return { ...scene(frames), target: Int32Array.from({ length: 60 * 25 }, (_, d) => d % 60) };
}

function beginningOf(detections: Detections, frames: number): Detections {
  return frameRange(detections, 0, Math.min(frames, detections.frames));
}

const shared = ["opensky_uk_60s", "opensky_uk_120s", "cells_btrack_s10", "ngsim_us101_0.5s", "ucy_zara02_0.8s"];
const recordings: [string, () => Detections][] = [
  ["a simulated crowd", crowd],
  ...shared.map((name): [string, () => Detections] => [
    name,
    // The first frames, for time.
    () => beginningOf(readDetections(`scenarios/data/${name}.csv`, "ignored").detections, 100),
  ]),
];

describe("a detection at the place where a track would be", () => {
  test.each(recordings)("is not skipped: %s", (_, recording) => {
    const detections = damaged(recording(), { fault: "missed", level: 0.15 }, 1);
    const names = [...new Set(detections.target)];
    const track = Int32Array.from(detections.target ?? [], (target) => names.indexOf(target));
    const gaps = { ...GAPS_NOT_SOUGHT, spans: SPANS.length, missed: 0.1, returns: [], seen: true };
    const first = firstFit(detections).model;
    const { model, odds } = fitTracks(detections, track, first, { persistence: true, gaps, divisions: "none" });
    const { ends, goOn } = trackCosts(detections, "auto", { model, odds });
    if (ends === null) throw new Error("tracks may end here");
    const foretold = model.step.map((row) => row.map((density) => minusLogDensity(bindStudentT(density), 0, 0)));
    let least = Number.POSITIVE_INFINITY;
    for (let d = 0; d < track.length; d++) {
      for (const a of SPANS) {
        /** The cost of a link over b frames from d to where its track would be then, after one over some frames. */
        const link = (before: number, b: number) => foretold[before - 1][b - 1] + goOn[b - 1][d];
        for (const b of SPANS.slice(1)) {
          for (let c = 1; c < b; c++) {
            const alone = ends.birth[d] + ends.death[d];
            least = Math.min(least, link(a, b) + alone - link(a, c) - link(c, b - c));
          }
          // Nor do two tracks of one target, which see it by turns.
          least = Math.min(least, link(b, b) - link(1, 1));
        }
      }
    }
    expect(least).toBeGreaterThan(0);
  });
});
