import { joinFrames } from "../../dist/core/detections.js";

/**
 * A target while it lives, with whatever else its kind needs to know of it.
 * @typedef {{ x: number, y: number, vx: number, vy: number, id?: number, [more: string]: number }} Mover
 */

/**
 * @typedef {object} Scene
 * @property {number} frames
 * @property {Mover[]} first those of frame 0
 * @property {(one: Mover, frame: number, all: readonly Mover[]) => boolean} move takes one from `frame` to the next; false where it is there no longer
 * @property {(all: readonly Mover[], frame: number, gone: readonly Mover[]) => Mover[]} [enter] those that are new in `frame`
 * @property {(one: Mover, frame: number) => boolean} [hidden] not detected
 * @property {number} [noise] standard deviation of a measured position, an axis
 */

/** @typedef {import("../../dist/core/random.js").RandomStream} RandomStream */

/**
 * What a camera without faults makes of a scene: positions only, in no order within a frame, with the true targets.
 * @param {Scene} scene
 * @param {RandomStream} random
 * @returns {import("rmap/core").Detections}
 */
export function recorded({ frames, first, move, enter, hidden, noise = 0 }, random) {
  let count = 0;
  const numbered = (/** @type {Mover[]} */ movers) => movers.map((one) => Object.assign(one, { id: count++ }));
  let here = numbered(first);
  const all = [];
  for (let frame = 0; frame < frames; frame++) {
    const order = Uint32Array.from(here.keys());
    random.shuffle(order);
    const seen = Array.from(order, (n) => here[n]).filter((one) => hidden?.(one, frame) !== true);
    all.push(
      seen.map(({ x, y, id }) => ({
        x: x + noise * random.normal(),
        y: y + noise * random.normal(),
        vx: Number.NaN,
        vy: Number.NaN,
        target: id,
      })),
    );
    const [stay, gone] = [[], []];
    for (const one of here) (move(one, frame, here) ? stay : gone).push(one);
    here = [...stay, ...numbered(enter?.(stay, frame + 1, gone) ?? [])];
  }
  return { ...joinFrames(all, 1), vx: null, vy: null };
}

/**
 * @param {number} count
 * @param {(n: number) => Mover} make
 */
export const times = (count, make) => Array.from({ length: count }, (_, n) => make(n));

/**
 * True with this probability.
 * @param {RandomStream} random
 * @param {number} probability
 */
export const chance = (random, probability) => random.uniform(0, 1) < probability;

/**
 * Moves by the velocity; whether that is still within 0 … width and 0 … height.
 * @param {Mover} one
 * @param {number} width
 * @param {number} height
 */
export function advance(one, width, height) {
  one.x += one.vx;
  one.y += one.vy;
  return one.x >= 0 && one.x <= width && one.y >= 0 && one.y <= height;
}

/**
 * At a random place of the border, on its way in.
 * @param {RandomStream} random
 * @param {number} width
 * @param {number} height
 * @param {number} speed
 * @returns {Mover}
 */
export function atBorder(random, width, height, speed) {
  const along = random.uniform(0, 2 * (width + height));
  const [x, y, inwards] =
    along < width
      ? [along, 0, 0.5]
      : along < 2 * width
        ? [along - width, height, -0.5]
        : along < 2 * width + height
          ? [0, along - 2 * width, 0]
          : [width, along - 2 * width - height, 1];
  const angle = Math.PI * inwards + random.uniform(-1.2, 1.2);
  return { x, y, vx: speed * Math.cos(angle), vy: speed * Math.sin(angle) };
}
