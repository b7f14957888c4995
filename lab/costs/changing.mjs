import { advance, atBorder, recorded, times } from "./recorded.mjs";

/** @typedef {import("./recorded.mjs").RandomStream} RandomStream */
/** @typedef {import("./recorded.mjs").Mover} Mover */

/** Density grows fourfold from the first frame to the last, and speeds double. @param {RandomStream} random */
export function changing(random) {
  const [width, height, frames] = [60, 60, 220];
  const wanted = (/** @type {number} */ frame) => Math.round(100 * (1 + (3 * frame) / frames));
  const pace = (/** @type {number} */ frame) => 1 + frame / frames;
  const walker = (/** @type {Mover} */ one) => ({
    ...one,
    angle: Math.atan2(one.vy, one.vx),
    own: Math.hypot(one.vx, one.vy),
  });
  return recorded(
    {
      frames,
      noise: 0.03,
      first: times(100, () => {
        const one = atBorder(random, width, height, random.uniform(0.3, 0.7));
        return walker({ ...one, x: random.uniform(0, width), y: random.uniform(0, height) });
      }),
      move: (one, frame) => {
        one.angle += 0.06 * random.normal();
        one.vx = one.own * pace(frame) * Math.cos(one.angle);
        one.vy = one.own * pace(frame) * Math.sin(one.angle);
        return advance(one, width, height);
      },
      enter: (all, frame) =>
        times(wanted(frame) - all.length, () => walker(atBorder(random, width, height, random.uniform(0.3, 0.7)))),
    },
    random,
  );
}

/** All come from the left in the first half, and from the right in the second. @param {RandomStream} random */
export function day(random) {
  const [width, height, frames, targets] = [60, 40, 140, 400];
  const walker = (/** @type {number} */ way, /** @type {number} */ x) => ({
    x,
    y: random.uniform(0, height),
    vx: 0.5 * way * (1 + 0.2 * random.normal()),
    vy: 0.08 * random.normal(),
  });
  return recorded(
    {
      frames,
      noise: 0.02,
      first: times(targets, () => walker(1, random.uniform(0, width))),
      move: (one) => {
        one.vx += 0.02 * random.normal();
        one.vy += -0.1 * one.vy + 0.02 * random.normal();
        return advance(one, width, height);
      },
      enter: (all, frame) => {
        const way = frame < frames / 2 ? 1 : -1;
        return times(targets - all.length, () =>
          walker(way, way > 0 ? random.uniform(0, 0.5) : width - random.uniform(0, 0.5)),
        );
      },
    },
    random,
  );
}
