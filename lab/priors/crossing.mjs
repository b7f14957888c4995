/**
 * Two targets that cross among false detections, as in a tutorial on data association: 20 frames, constant velocity with a little process noise, one detection in ten
 * missed, and on average nine false ones a frame, uniform over squares around the targets.
 */
import { joinFrames } from "../../dist/core/detections.js";
import { randomStreams } from "../../dist/core/random.js";

/** What a radar knows of the case. */
export const CROSSING = {
  frames: 20,
  /** Variance of a measured position, on an axis. */
  noise: 0.75,
  /** Spectral density of the acceleration. */
  process: 0.005,
  missed: 0.1,
  /** Around each target there are 0 to 9 false detections, all equally likely, this far on an axis at most. */
  most: 9,
  reach: 10,
  starts: [
    { x: 0, y: 0, vx: 1, vy: 1 },
    { x: 0, y: 20, vx: 1, vy: -1 },
  ],
};

/** @param {number} seed */
export function crossing(seed) {
  const { frames, noise, process, missed, most, reach, starts } = CROSSING;
  const streams = randomStreams(seed);
  const [motion, measured, clutter, order] = Array.from({ length: 4 }, () => streams.next().value);
  const targets = starts.map((start) => ({ ...start }));
  const seen = [];
  for (let p = 0; p < frames; p++) {
    /** @type {import("../../dist/core/detections.js").Detection[]} */
    const all = [];
    for (const [target, one] of targets.entries()) {
      if (p > 0) move(one, process, motion);
      const [dx, dy] = [Math.sqrt(noise) * measured.normal(), Math.sqrt(noise) * measured.normal()];
      if (measured.uniform(0, 1) >= missed) all.push({ x: one.x + dx, y: one.y + dy, vx: 0, vy: 0, target });
      const count = Math.floor(clutter.uniform(0, most + 1));
      for (let n = 0; n < count; n++) {
        const [x, y] = [one.x, one.y].map((at) => clutter.uniform(at - reach, at + reach));
        all.push({ x, y, vx: 0, vy: 0, target: -1 });
      }
    }
    const shuffled = Uint32Array.from(all.keys());
    order.shuffle(shuffled);
    seen.push(Array.from(shuffled, (n) => all[n]));
  }
  return { ...joinFrames(seen, 1), vx: null, vy: null };
}

/**
 * White noise of the acceleration over one frame.
 * @param {{ x: number, y: number, vx: number, vy: number }} one
 * @param {number} process
 * @param {import("../../dist/core/random.js").RandomStream} random
 */
function move(one, process, random) {
  for (const [at, v] of /** @type {const} */ ([
    ["x", "vx"],
    ["y", "vy"],
  ])) {
    const [a, b] = [random.normal(), random.normal()];
    one[at] += one[v] + Math.sqrt(process / 3) * a;
    one[v] += Math.sqrt(process) * ((Math.sqrt(3) / 2) * a + 0.5 * b);
  }
}
