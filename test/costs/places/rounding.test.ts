import { describe, expect, test } from "vitest";
import type { Detections } from "../../../src/core/detections.js";
import { randomStreams } from "../../../src/core/random.js";
import { firstFit } from "../../../src/costs/motion/first-fit.js";
import { medianSpacing } from "../../../src/costs/motion/nearest.js";
import { quantumOfChanges, quantumOfPlaces, roundingOf } from "../../../src/costs/places/rounding.js";
import { scene } from "../scenes.js";

type Point = readonly [number, number];

const SIDE = 120;
const FRAMES = 40;

/** 80 targets, every other one stands for 12 frames and goes elsewhere; the others walk through the field and back. */
function walkers(see: (x: number, y: number) => Point, seed = 31): Detections {
  const random = randomStreams(seed).next().value;
  const all = Array.from({ length: 80 }, (_, n) => ({
    places: Array.from({ length: 5 }, (): Point => [random.uniform(0, SIDE), random.uniform(0, SIDE)]),
    vx: random.uniform(-7, 7),
    vy: random.uniform(-7, 7),
    stands: n % 2 === 0,
  }));
  const reflected = (value: number) => Math.abs(((((value + SIDE) % (2 * SIDE)) + 2 * SIDE) % (2 * SIDE)) - SIDE);
  return {
    ...scene(
      Array.from({ length: FRAMES }, (_, p) =>
        all.map(({ places, vx, vy, stands }): [number, number, number, number] => {
          const [x, y] = stands
            ? places[Math.floor(p / 12)]
            : [reflected(places[0][0] + p * vx), reflected(places[0][1] + p * vy)];
          return [...see(x, y), 0, 0];
        }),
      ),
    ),
    vx: null,
    vy: null,
  };
}

const round = (value: number) => Math.round(value);
const turned = (x: number, y: number): Point => [
  Math.cos(0.5) * x - Math.sin(0.5) * y,
  Math.sin(0.5) * x + Math.cos(0.5) * y,
];
/** Four times as far away at y = SIDE as at y = 0. */
const depth = (y: number) => 1 + (3 * y) / SIDE;
const inPerspective = (x: number, y: number): Point => [x / depth(y), y / depth(y)];

describe("rounded positions", () => {
  test("changes of displacement that are zero or none up to some length tell of a rounding, those of no density do", () => {
    const random = randomStreams(21).next().value;
    const changes = (count: number, scale: (n: number) => number, round = (value: number) => value) =>
      Array.from({ length: count }, (_, n) =>
        Math.hypot(round(scale(n) * random.normal()), round(scale(n) * random.normal())),
      );
    expect(
      quantumOfChanges(
        changes(2000, () => 0.7, Math.round),
        8,
      ),
    ).toBe(1);
    expect(
      quantumOfChanges(
        changes(
          2000,
          () => 0.7,
          (v) => 0.1 * Math.round(10 * v),
        ),
        8,
      ),
    ).toBe(0);
    expect(
      quantumOfChanges(
        changes(2000, () => 0.7, Math.round),
        2,
      ),
    ).toBe(0.5);
    expect(
      quantumOfChanges(
        changes(2000, () => 1),
        1,
      ),
    ).toBe(0);
    expect(
      quantumOfChanges(
        changes(2000, (n) => (n % 3 === 0 ? 1 : 30)),
        1,
      ),
    ).toBe(0);
    expect(quantumOfChanges([], 1)).toBe(0);
    expect(quantumOfChanges(new Array(50).fill(0), 1)).toBe(0);
  });

  test("places that targets come back to tell the length, also where it is another one at every place", () => {
    for (const see of [
      (x: number, y: number): Point => [round(x), round(y)],
      (x: number, y: number) => turned(round(x), round(y)),
    ]) {
      const detections = walkers(see);
      expect(quantumOfPlaces(detections, medianSpacing(detections))).toBeCloseTo(1, 9);
    }
    const seen = walkers((x, y) => inPerspective(round(x), round(y)));
    // A cell is 1/w by about 1/w² there; three quarters of the detections have a smaller one.
    const flat = walkers((x, y) => [round(x), round(y)]);
    const cells = Array.from(flat.y, (y) => Math.sqrt(0.5 * (depth(y) ** -2 + depth(y) ** -4))).sort((a, b) => a - b);
    const found = quantumOfPlaces(seen, 10);
    expect(found).toBeGreaterThan(0.7 * cells[0.75 * cells.length]);
    expect(found).toBeLessThan(1.4 * cells[0.75 * cells.length]);
  });

  test("neither targets that stand to the bit nor doors that many pass are taken for a rounding", () => {
    const spacing = medianSpacing(walkers((x, y) => [x, y]));
    expect(
      quantumOfPlaces(
        walkers((x, y) => [x, y]),
        spacing,
      ),
    ).toBe(0);
    // Too fine for the distances between targets to do harm.
    const whole = walkers((x, y) => turned(round(x), round(y)));
    expect([10, 50].map((distance) => quantumOfPlaces(whole, distance) > 0)).toEqual([true, false]);
    // Three of ten are exactly at one of 100 doors, and the others are close to these as to any place.
    const random = randomStreams(5).next().value;
    const anywhere = (): Point => [random.uniform(0, SIDE), random.uniform(0, SIDE)];
    const doors = Array.from({ length: 100 }, anywhere);
    const passing = walkers(() =>
      random.uniform(0, 1) < 0.3 ? doors[Math.floor(random.uniform(0, 100))] : anywhere(),
    );
    expect(quantumOfPlaces(passing, spacing)).toBe(0);
  });

  test("no density is narrower than the rounding seen in perspective", () => {
    const seen = walkers((x, y) => inPerspective(round(x), round(y)));
    const spacing = medianSpacing(seen);
    const quantum = roundingOf(seen, [], spacing);
    expect(quantum).toBeGreaterThan(0.1);
    const { prior, step } = firstFit(seen).model;
    for (const { xx, yy } of [prior[0], step[0][0]]) {
      expect(Math.sqrt(Math.min(xx, yy))).toBeGreaterThan(0.4 * quantum);
    }
  });
});
