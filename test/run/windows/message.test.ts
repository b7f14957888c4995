import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/errors.js";
import { randomStreams } from "../../../src/core/random.js";
import { evenly } from "../../../src/costs/motion/matrix.js";
import { roundStudentT } from "../../../src/costs/motion/student.js";
import { certifyBound } from "../../../src/map/certificate/certificate.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import { findInWindow, runWindow, type WindowJob } from "../../../src/run/windows/job.js";
import { foundOfText, textOfFound, textOfWindow, windowOfText } from "../../../src/run/windows/message.js";

/** Frames of a few targets that walk at random. */
function job(frames: number, radius: number | null = null): WindowJob {
  const random = randomStreams(3).next().value;
  const targets = 6;
  const count = frames * targets;
  const walk = () => {
    const at = Float64Array.from({ length: targets }, () => random.uniform(0, 8));
    return Float64Array.from({ length: count }, (_, d) => {
      at[d % targets] += random.normal();
      return at[d % targets];
    });
  };
  return {
    first: 40,
    detections: {
      frames,
      frameStart: Uint32Array.from({ length: frames + 1 }, (_, p) => p * targets),
      x: walk(),
      y: walk(),
      vx: new Float64Array(count).fill(Number.NaN),
      vy: new Float64Array(count).fill(0.1),
      timeStep: 0.1,
    },
    odds: { birth: new Float64Array(count).fill(6), ends: new Float64Array(count).fill(1 / 30), clutter: walk() },
    extent: { begins: false, ends: true },
    statement: {
      model: {
        drift: [0.1, 1e-17],
        velocityWeight: 0,
        prior: [{ ...roundStudentT(2, 1), wide: { share: 0.2, times: 7 } }, roundStudentT(3, 2)],
        step: [
          [roundStudentT(3, 0.9), roundStudentT(3, 1.8)],
          [roundStudentT(3, 1), roundStudentT(3, 2)],
        ],
        persistence: [
          [evenly(1 / 3), evenly(2 / 3)],
          [evenly(1 / 6), { xx: 1 / 3, xy: 1e-17, yy: 0.3 }],
        ],
        births: 0.01,
        ends: 0.03,
        missed: 0.05,
        clutter: 0.002,
      },
      birthDeath: "auto",
      radius,
      maxBirthCost: 6,
    },
    over: { tail: Int32Array.of(12, 12, 19), head: Int32Array.of(24, 26, 31) },
    from: 42,
    to: 40 + frames - 1,
    options: { ascent: "bundle", iterations: 60, gap: 1e-9, differencePerDetection: 0 },
  };
}

/** Other links over missed frames. */
const over = (tail: number[], head: number[]) => (message: Record<string, never>) => {
  const text = (values: number[]) => Buffer.from(Int32Array.from(values).buffer).toString("base64");
  return { ...message, over: { tail: text(tail), head: text(head) } };
};

describe("windows as text", () => {
  test("come back as they were, to the last bit", () => {
    for (const radius of [null, 2.5, Number.POSITIVE_INFINITY]) {
      const one = job(12, radius);
      expect(windowOfText(textOfWindow(one))).toEqual(one);
      const even = { ...one, odds: { ...one.odds, clutter: null } };
      expect(windowOfText(textOfWindow(even))).toEqual(even);
    }
    const found = { v: Float64Array.of(0.1, -0), columnDual: Float64Array.of(1e-300), tracks: Int32Array.of(-1, 7) };
    expect(foundOfText(textOfFound({ ...found, iterations: 3 }))).toEqual({ ...found, iterations: 3 });
  });

  test.each<[string, (message: Record<string, never>) => object]>([
    ["no ascent", ({ options, ...rest }) => ({ ...rest, options: Object.assign(options, { ascent: "rm -rf" }) })],
    ["more than a window", (message) => ({ ...message, run: "process.exit()" })],
    ["frames beyond its detections", (message) => ({ ...message, to: 99 })],
    ["a seam, as earlier revisions have it", (message) => ({ ...message, seam: [1, 2] })],
    ["bytes missing", ({ x, ...rest }) => ({ ...rest, x: String(x).slice(8) })],
    ["fewer costs of false detections", ({ clutter, ...rest }) => ({ ...rest, clutter: String(clutter).slice(32) })],
    ["a link over no missed frame", over([12, 12, 19], [24, 26, 25])],
    ["a link to nowhere", over([12, 12, 19], [24, 26, 99])],
    ["a link over more frames than may be missed", over([12, 12, 13], [24, 26, 31])],
    ["links twice or in another order", over([12, 12, 19], [26, 26, 31])],
    ["fewer heads than tails", over([12, 12, 19], [24, 26])],
    ["no number", (message) => ({ ...message, y: Buffer.alloc(12 * 6 * 8, 0xff).toString("base64") })],
    [
      "fewer priors than steps",
      ({ statement, ...rest }) => {
        const { model } = statement as { model: { prior: unknown[] } };
        return {
          ...rest,
          statement: { ...(statement as object), model: { ...model, prior: [...model.prior, model.prior[0]] } },
        };
      },
    ],
  ])("are refused with %s", (_, spoil) => {
    const spoilt = JSON.stringify(spoil(JSON.parse(textOfWindow(job(12)))));
    expect(() => windowOfText(spoilt)).toThrow(InputError);
  });

  test("a solution whose edges are numbered as earlier revisions did is refused", () => {
    const found = { v: Float64Array.of(1), columnDual: Float64Array.of(1), tracks: Int32Array.of(-1), iterations: 1 };
    const { edgesBy, ...earlier } = JSON.parse(textOfFound(found));
    expect(edgesBy).toBe("frame pair");
    expect(() => foundOfText(JSON.stringify(earlier))).toThrow(InputError);
  });

  test("what is found elsewhere is the same; what is wrong in it cannot make a bound wrong", async () => {
    const one = job(12);
    const here = await runWindow({ job: one, found: null });
    const found = foundOfText(textOfFound(await findInWindow(windowOfText(textOfWindow(one)))));
    const there = await runWindow({ job: one, found });
    expect(there).toEqual(here);
    const { graph, v, columnDual, tracks } = here.piece;
    const best = priceTracks(graph, tracks);
    const { lowerBound } = certifyBound(graph, v, columnDual);
    expect(best.status === "feasible" && best.cost - lowerBound).toBeLessThan(20);

    // Other multipliers are a worse bound, and never a false one.
    const bad = await runWindow({ job: one, found: { ...found, v: found.v.map((value, e) => value + (e % 7) - 3) } });
    expect(bad.fault).toBe(null);
    expect(certifyBound(graph, bad.piece.v, bad.piece.columnDual).lowerBound).toBeLessThan(lowerBound - 1);

    const twice = found.tracks.slice();
    const [from, other] = [...twice.keys()].filter((d) => twice[d] >= 0);
    twice[other] = twice[from];
    for (const [fault, spoilt] of [
      [/where \d+, 63 and 63 are wanted/, { ...found, v: found.v.slice(1) }],
      ...[Number.NaN, Number.POSITIVE_INFINITY, 1e300, -1e300].flatMap((wild) => {
        const [v, columnDual] = [found.v.slice(), found.columnDual.slice()];
        v[v.length - 1] = wild;
        columnDual[3] = wild;
        return [
          { ...found, v },
          { ...found, columnDual },
        ].map((one) => [/it has multipliers of .*, where/, one] as const);
      }),
      [/it says that it took 61 iterations, where 60 are the most/, { ...found, iterations: 61 }],
      [/does not leave detection/, { ...found, columnDual: here.piece.columnDual, tracks: twice }],
    ] as const) {
      const answer = await runWindow({ job: one, found: spoilt });
      expect(answer.fault).toMatch(fault);
      expect({ ...answer, fault: null }).toEqual(here);
    }
  });
});
