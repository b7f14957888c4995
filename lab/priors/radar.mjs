/**
 * The tracker that a toolbox runs on what a radar knows: Kalman filters of nearly constant velocity, all detections of a frame assigned at once by their likelihood
 * (global nearest neighbour), tracks that are kept where they have M detections in their first N frames, and that end after some frames without one.
 */
import { candidateList } from "../../dist/experiments/baselines/frame-pairs.js";
import { Exact } from "../../dist/track/exact.js";

/**
 * @typedef {object} Radar
 * @property {number} noise variance of a measured position, on an axis
 * @property {number} process spectral density of the acceleration
 * @property {number} missed
 * @property {number} clutter false detections per frame and unit of area
 * @property {number} speed variance of a first velocity, on an axis
 * @property {number} need M
 * @property {number} within N
 * @property {number} lost
 * @property {readonly { x: number, y: number, vx: number, vy: number }[]} [starts] states at the beginning: then no track begins later, and none ends
 *
 * @typedef {object} Filter
 * @property {number[]} at
 * @property {number[]} velocity
 * @property {number} xx
 * @property {number} xv
 * @property {number} vv
 * @property {number[]} detections
 * @property {number} age
 * @property {number} since frames since the last detection
 * @property {boolean} sure
 */

/** 99 % of the detections of a target lie within: χ² of two degrees of freedom. */
const GATE = 9.21;
/** Variances of stated starts, of position and velocity. */
const START = { xx: 1.5, xv: 0, vv: 0.5 };

/**
 * Tracks that are sure choose first, and others take what is left.
 * @param {import("rmap/core").Detections} detections
 * @param {Radar} radar
 * @returns {Int32Array} the track of each detection, −1 for none
 */
export function radarTracks({ frames, frameStart, x, y }, radar) {
  const { noise, speed, need, within, lost, starts } = radar;
  const track = new Int32Array(x.length).fill(-1);
  const exact = new Exact();
  /** @type {Filter[]} */
  const ended = [];
  /** @type {Filter[]} */
  let living = (starts ?? []).map(({ x, y, vx, vy }) => ({
    ...{ at: [x - vx, y - vy], velocity: [vx, vy], ...START },
    ...{ detections: [], age: 0, since: 0, sure: true },
  }));
  for (let p = 0; p < frames; p++) {
    for (const one of living) predict(one, radar.process);
    let free = Array.from({ length: frameStart[p + 1] - frameStart[p] }, (_, n) => frameStart[p] + n);
    for (const sure of [true, false]) {
      const some = living.filter((one) => one.sure === sure);
      const problem = candidateList(some.length, free.length, (i, j) => worth(some[i], x[free[j]], y[free[j]], radar));
      const linked = exact.associate(problem).measurementOfTrack.slice();
      some.forEach((one, i) => {
        one.age++;
        one.since = linked[i] < 0 ? one.since + 1 : 0;
        if (linked[i] >= 0) update(one, free[linked[i]], x, y, noise);
      });
      free = free.filter((_, j) => !linked.includes(j));
    }
    if (starts) continue;
    for (const one of living) one.sure ||= one.detections.length >= need;
    ended.push(...living.filter(({ sure, since }) => sure && since >= lost));
    living = living.filter(({ sure, since, age }) => (sure ? since < lost : age < within));
    for (const d of free) {
      living.push({
        ...{ at: [x[d], y[d]], velocity: [0, 0], xx: noise, xv: 0, vv: speed },
        ...{ detections: [d], age: 1, since: 0, sure: need <= 1 },
      });
    }
  }
  [...ended, ...living.filter(({ sure }) => sure)].forEach(({ detections }, name) => {
    for (const d of detections) track[d] = name;
  });
  return track;
}

/**
 * ln of how much likelier a detection is the target's than a false one and the target missed; null where that is less likely, or outside the gate.
 * @param {Filter} one
 * @param {number} x
 * @param {number} y
 * @param {Radar} radar
 */
function worth({ at, xx }, x, y, { noise, missed, clutter }) {
  const variance = xx + noise;
  const square = ((x - at[0]) ** 2 + (y - at[1]) ** 2) / variance;
  if (square > GATE) return null;
  const nats = Math.log((1 - missed) / (2 * Math.PI * variance * clutter * missed)) - square / 2;
  return nats > 0 ? nats : null;
}

/**
 * Nearly constant velocity over one frame.
 * @param {Filter} one
 * @param {number} process
 */
function predict(one, process) {
  one.at = one.at.map((at, axis) => at + one.velocity[axis]);
  const { xx, xv, vv } = one;
  one.xx = xx + 2 * xv + vv + process / 3;
  one.xv = xv + vv + process / 2;
  one.vv = vv + process;
}

/**
 * @param {Filter} one
 * @param {number} d
 * @param {Float64Array} x
 * @param {Float64Array} y
 * @param {number} noise
 */
function update(one, d, x, y, noise) {
  const variance = one.xx + noise;
  const [gain, gainOfVelocity] = [one.xx / variance, one.xv / variance];
  const off = [x[d] - one.at[0], y[d] - one.at[1]];
  one.at = one.at.map((at, axis) => at + gain * off[axis]);
  one.velocity = one.velocity.map((v, axis) => v + gainOfVelocity * off[axis]);
  one.vv -= gainOfVelocity * one.xv;
  one.xv *= 1 - gain;
  one.xx *= 1 - gain;
  one.detections.push(d);
}
