import { add, index, inv, type Matrix, matrix, multiply, subset, subtract, transpose } from "mathjs";
import { describe, expect, test } from "vitest";
import { IdentityCounter } from "../../src/scores/identity-errors.js";
import { Auction } from "../../src/track/auction.js";
import { Exact } from "../../src/track/exact.js";
import { Gate } from "../../src/track/gate.js";
import { Greedy } from "../../src/track/greedy.js";
import { Filters } from "../../src/track/kalman.js";
import { NoiseEstimate, rowOf } from "../../src/track/noise.js";
import { FrameOrder, type StreamRow } from "../../src/track/stream.js";
import { SCORE_RULE, Tracker, type TrackerSettings } from "../../src/track/tracker.js";
import { voteDisplacement } from "../../src/track/vote.js";
import { uniform } from "../lap/support.js";
import { belt } from "./scene.js";

const settings: TrackerSettings = {
  reach: 1,
  firstReach: Infinity,
  velocity: [1, 0],
  velocitySigma: 0.1,
  noise: { q: 0.01, r: 0.02 },
  estimateNoise: false,
  leastNoise: { q: 1e-3, r: 1e-3 },
  score: SCORE_RULE,
  view: null,
};

test("the unrolled filter is the four-state Kalman filter", () => {
  const [q, r, spread] = [0.03, 0.05, 0.2];
  const random = uniform(3);
  const filters = new Filters();
  filters.grow(2);
  filters.begin(1, 0.3, -0.2, [1, 0.1], spread, r);
  const f = matrix([
    [1, 0, 1, 0],
    [0, 1, 0, 1],
    [0, 0, 1, 0],
    [0, 0, 0, 1],
  ]);
  const h = matrix([
    [1, 0, 0, 0],
    [0, 1, 0, 0],
  ]);
  const noise = matrix([
    [q ** 2 / 4, 0, q ** 2 / 2, 0],
    [0, q ** 2 / 4, 0, q ** 2 / 2],
    [q ** 2 / 2, 0, q ** 2, 0],
    [0, q ** 2 / 2, 0, q ** 2],
  ]);
  let state: Matrix = matrix([[0.3], [-0.2], [1], [0.1]]);
  let covariance: Matrix = matrix([
    [r * r, 0, 0, 0],
    [0, r * r, 0, 0],
    [0, 0, spread ** 2, 0],
    [0, 0, 0, spread ** 2],
  ]);
  for (let frame = 1; frame < 20; frame++) {
    filters.predict(2, q);
    state = multiply(f, state);
    covariance = add(multiply(multiply(f, covariance), transpose(f)), noise) as Matrix;
    if (frame % 4 !== 0) {
      const z = [frame + random(), random()];
      filters.update(1, z[0], z[1], r);
      const s = add(
        multiply(multiply(h, covariance), transpose(h)),
        matrix([
          [r * r, 0],
          [0, r * r],
        ]),
      ) as Matrix;
      const gain = multiply(multiply(covariance, transpose(h)), inv(s)) as Matrix;
      state = add(state, multiply(gain, subtract(matrix([[z[0]], [z[1]]]), multiply(h, state)))) as Matrix;
      covariance = subtract(covariance, multiply(multiply(gain, h), covariance)) as Matrix;
    }
    const of = (from: Matrix, i: number, j: number) => subset(from, index(i, j)) as unknown as number;
    [filters.x, filters.y, filters.vx, filters.vy].forEach((values, k) => {
      expect(values[1]).toBeCloseTo(of(state, k, 0), 12);
    });
    expect(filters.positionVariance[1]).toBeCloseTo(of(covariance, 0, 0), 14);
    expect(filters.covariance[1]).toBeCloseTo(of(covariance, 1, 3), 14);
    expect(filters.velocityVariance[1]).toBeCloseTo(of(covariance, 3, 3), 14);
  }
});

test.each([
  [50, 60, 1, 5],
  [40, 3, 0.3, 1000],
  [10, 0, 1, 3],
  [0, 10, 1, 3],
  [30, 30, 2, 0],
])(
  "the gate finds what is near: %d tracks, %d measurements, d_max %f, side %f",
  (tracks, measurements, reach, side) => {
    const random = uniform(9);
    const draw = (count: number) => Float64Array.from({ length: count }, () => side * random() - 7);
    const [px, py, zx, zy] = [draw(tracks), draw(tracks), draw(measurements), draw(measurements)];
    const { rowStart, measurement, utility } = new Gate().frame(tracks, px, py, zx, zy, reach);
    for (let i = 0; i < tracks; i++) {
      const near = Array.from(zx, (_, j) => j).filter((j) => Math.hypot(zx[j] - px[i], zy[j] - py[i]) < reach);
      expect([...measurement.subarray(rowStart[i], rowStart[i + 1])]).toEqual(near);
      near.forEach((j, k) => {
        expect(utility[rowStart[i] + k]).toBeCloseTo(reach - Math.hypot(zx[j] - px[i], zy[j] - py[i]), 12);
      });
    }
  },
);

describe("votes", () => {
  const rows = belt({ frames: 5, objects: 300 });
  const frames = [0, 1, 2, 3, 4].map((p) => rows.filter(([frame]) => frame === p));
  const points = (list: number[][]) => ({
    x: Float64Array.from(list, (row) => row[1]),
    y: Float64Array.from(list, (row) => row[2]),
  });

  test("find the common displacement, whatever the order and the origin", () => {
    const { displacement, votes, possible } = voteDisplacement(frames.map(points));
    expect(displacement[0]).toBeCloseTo(1.3, 1);
    expect(displacement[1]).toBeCloseTo(0, 1);
    expect(votes / possible).toBeGreaterThan(0.8);
    const moved = frames.map((list) => points([...list].reverse().map(([p, x, y]) => [p, 3 - y, x + 100])));
    const turned = voteDisplacement(moved).displacement;
    expect(turned[0]).toBeCloseTo(-displacement[1], 6);
    expect(turned[1]).toBeCloseTo(displacement[0], 6);
  });

  test("say nothing of frames without two measurements", () => {
    expect(voteDisplacement([points([]), points([[0, 1, 1, 0]])]).nearest).toBeNull();
  });
});

test.each([
  [4, 0, 0.1],
  [4, 0.02, 0.1],
  [4, 0.1, 0.02],
  [4, 0.05, 0],
  [2, 0.05, 0.1],
  [2, 0.05, 0],
])("the noise of tracks is found over %d frames: q %f, r %f", (lag, q, r) => {
  const random = uniform(5);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const estimate = new NoiseEstimate(lag);
  let found = null;
  for (let sample = 0; sample < 20_000; sample++) {
    let [x, v] = [100 * random(), 3];
    const z = Array.from({ length: rowOf(lag) }, () => {
      const a = q * normal() * (random() < 0.02 ? 20 : 1);
      x += v + a / 2;
      v += a;
      return x + r * normal();
    });
    found = estimate.add(z[lag - 1] - 2 * z[lag] + z[lag + 1], z[0] - 2 * z[lag] + z[2 * lag]) ?? found;
  }
  // Neighbours alone cannot tell a q of 0.02 beside an r of 0.1 from 0 or from 0.08.
  expect(Math.abs((found?.q ?? 0) - q)).toBeLessThan((lag === 4 ? 0.08 : 0.3) * r + 0.25 * q);
  expect(Math.abs((found?.r ?? 0) - r)).toBeLessThan(0.1 * r + 0.2 * q);
});

test("an object missed in its second frame is not taken for the next one to come into view", () => {
  const followed = (firstReach: number) => {
    const tracker = new Tracker({ ...settings, firstReach });
    const seen = [];
    for (const [x, y] of [
      [[0.2], [0]],
      [[0.5], [0.3]],
      [
        [2.2, 1.5],
        [0, 0.3],
      ],
    ]) {
      const [zx, zy] = [Float64Array.from(x), Float64Array.from(y)];
      seen.push([...tracker.update(zx, zy, new Exact().associate(tracker.predict(zx, zy)).measurementOfTrack)]);
    }
    return seen;
  };
  expect(followed(Infinity)).toEqual([[0], [0], [1, 0]]);
  expect(followed(0.6)).toEqual([[0], [1], [0, 1]]);
});

describe("the life of a track", () => {
  const none = new Float64Array(0);
  const lone = (x: number) => Float64Array.of(x);
  const link = (tracker: Tracker, x: Float64Array, y: Float64Array) =>
    tracker.update(x, y, new Exact().associate(tracker.predict(x, y)).measurementOfTrack);

  test("starts at 5, rises by 2 to 10, and one lost at 10 is predicted 11 times more", () => {
    const tracker = new Tracker(settings);
    for (let frame = 0; frame < 6; frame++) expect([...link(tracker, lone(frame), lone(0))]).toEqual([0]);
    expect(tracker.score[0]).toBe(10);
    let lasted = 0;
    for (; tracker.count > 0; lasted++) link(tracker, none, none);
    expect(lasted).toBe(11);
    expect([...link(tracker, lone(17), lone(0))]).toEqual([1]);
  });

  test("a track is found again where it was predicted, and not beyond d_max", () => {
    const tracker = new Tracker(settings);
    for (const frame of [0, 1, 2]) link(tracker, lone(frame), lone(0));
    for (let lost = 0; lost < 5; lost++) link(tracker, none, none);
    expect([...link(tracker, Float64Array.of(8, 9.01), Float64Array.of(0.2, 0))]).toEqual([0, 1]);
  });

  test("out of view by more than d_max it ends, and not before", () => {
    const tracker = new Tracker({ ...settings, view: [0, 3, -1, 1] });
    const ended: string[] = [];
    tracker.onEnd = (index, why) => ended.push(`${tracker.track[index]} ${why} ${tracker.filters.x[index].toFixed(1)}`);
    for (const frame of [0, 1, 2, 3]) link(tracker, lone(frame), lone(0));
    link(tracker, none, none);
    expect(tracker.count).toBe(1);
    link(tracker, none, none);
    expect(ended).toEqual(["0 view 5.0"]);
  });

  test("goes on from its state as if nothing had been", () => {
    const rows = belt({ jitter: 0.02 });
    const frame = (p: number) => {
      const mine = rows.filter((row) => row[0] === p);
      return [Float64Array.from(mine, (row) => row[1]), Float64Array.from(mine, (row) => row[2])] as const;
    };
    const one = new Tracker({ ...settings, velocity: [1.3, 0] });
    let two = new Tracker(one.settings);
    for (let p = 0; p < 40; p++) {
      const expected = link(one, ...frame(p));
      if (p % 7 === 3) {
        const state = JSON.parse(JSON.stringify(two.state()));
        two = new Tracker(one.settings);
        two.restore(state);
      }
      expect(link(two, ...frame(p))).toEqual(expected);
    }
  });
});

describe("associations", () => {
  const frames = [1, 2, 3].map((seed) => {
    const random = uniform(seed);
    const draw = (count: number) => Float64Array.from({ length: count }, () => 12 * random());
    return new Gate().frame(150, draw(150), draw(150), draw(120 + 20 * seed), draw(120 + 20 * seed), 1);
  });
  const worth = (frame: (typeof frames)[number], link: Int32Array) =>
    link.reduce((sum, j, i) => {
      const at = j < 0 ? -1 : frame.measurement.subarray(frame.rowStart[i], frame.rowStart[i + 1]).indexOf(j);
      return at < 0 ? sum : sum + frame.utility[frame.rowStart[i] + at];
    }, 0);

  test.each(frames)("jv is best, the auction within N ε of it, greedy no better", (frame) => {
    const exact = worth(frame, new Exact().associate(frame).measurementOfTrack);
    const auction = worth(frame, new Auction(1e-4, 1e5).associate(frame).measurementOfTrack);
    const greedy = worth(frame, new Greedy().associate(frame).measurementOfTrack);
    expect(auction).toBeLessThanOrEqual(exact + 1e-9);
    expect(auction).toBeGreaterThan(exact - 150e-4);
    expect(greedy).toBeLessThanOrEqual(exact + 1e-9);
    expect(greedy).toBeGreaterThan(exact / 2);
  });

  test("an auction that uses up its rounds leaves the frame to jv, and says so", () => {
    const capped = new Auction(1e-4, 3).associate(frames[0]);
    expect(capped).toMatchObject({ capped: true, rounds: 3 });
    expect(capped.measurementOfTrack).toEqual(new Exact().associate(frames[0]).measurementOfTrack);
  });
});

describe("a stream", () => {
  const row = (frame: number, x = frame): StreamRow => ({ frame, x, y: 0, target: null });
  const play = (held: number, frames: readonly number[]) => {
    const order = new FrameOrder(held);
    const closed = frames.flatMap((frame, n) => order.add(row(frame, n)).closed);
    return { order, closed: [...closed, ...order.end()].map(({ frame, rows }) => [frame, rows.length]) };
  };

  test("closes a frame at the first row of a later one, and counts empty ones", () => {
    const { order, closed } = play(0, [2, 2, 3, 6, 6, 6]);
    expect(closed).toEqual([
      [2, 2],
      [3, 1],
      [6, 3],
    ]);
    expect(order.counts).toMatchObject({ rows: 6, frames: 3, emptyFrames: 2, lateRows: 0 });
  });

  test("late rows are counted and numbered, unless frames are held back for them", () => {
    expect(play(0, [0, 1, 0, 2]).order.counts).toMatchObject({ lateRows: 1, frames: 3, reorderedFrames: 0 });
    const order = new FrameOrder(0);
    for (const frame of [0, 0, 1]) order.add(row(frame, Math.random()));
    expect(order.add(row(0)).late).toBe(2);
    const { order: patient, closed } = play(2, [0, 2, 1, 1, 4, 3, 5]);
    expect(patient.counts).toMatchObject({ lateRows: 0, frames: 6, reorderedFrames: 2 });
    expect(closed).toEqual([
      [0, 1],
      [1, 2],
      [2, 1],
      [3, 1],
      [4, 1],
      [5, 1],
    ]);
  });

  test("every late row is numbered, those of frames that had none too, until its frame is forgotten", () => {
    const order = new FrameOrder(0);
    for (let frame = 10; frame < 1035; frame++) order.add(row(frame));
    const late = [3, 3, 500, 10, 11].map((frame) => order.add(row(frame)).late);
    // 1,024 frames are remembered: 10 to 1033 were closed, and 3 takes the place of 10.
    expect(late).toEqual([0, 1, 1, -1, 1]);
  });

  test("a row that repeats another is marked", () => {
    const order = new FrameOrder(0);
    for (const x of [1, 2, 1]) order.add(row(0, x));
    expect(order.end()[0].repeats).toEqual([false, false, true]);
    expect(order.counts.repeatedRows).toBe(1);
  });
});

test("errors of identity: objects in two tracks, tracks of two objects, links", () => {
  const counter = new IdentityCounter();
  const say = (target: string, ...tracks: number[]) => {
    for (const track of tracks) counter.add(target, track);
  };
  say("a", 0, 0, 0, 0, 0, 0);
  say("b", 1, 1, 2, 2, 1);
  say("c", 2);
  counter.end(0);
  expect(counter.targetOf(2)).toBe("c");
  expect(counter.errors()).toEqual({
    objects: 3,
    objectsInError: 1,
    longObjects: 2,
    longObjectsInError: 1,
    mixedTracks: 1,
    tracks: 3,
    brokenLinks: 2,
    wrongLinks: 1,
  });
});
