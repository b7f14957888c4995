import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readDetections } from "rmap/formats";

/** @typedef {import("rmap/core").Detections} Detections */

/**
 * @param {Detections} detections
 * @param {(x: number, y: number) => readonly [number, number]} see
 * @returns {Detections}
 */
export function seen(detections, see) {
  const [x, y] = [detections.x.slice(), detections.y.slice()];
  for (let d = 0; d < x.length; d++) [x[d], y[d]] = see(x[d], y[d]);
  return { ...detections, x, y };
}

/**
 * Positions in multiples of a part of the median spacing.
 * @param {Detections} detections
 */
export function rounded(detections, part = 0.1) {
  const quantum = part * spacingOf(detections);
  const round = (/** @type {number} */ value) => quantum * Math.round(value / quantum);
  return seen(detections, (x, y) => [round(x), round(y)]);
}

/** @param {Detections} detections */
export function turned(detections, angle = 0.6) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return seen(detections, (x, y) => [cos * x - sin * y, sin * x + cos * y]);
}

/** How much further away the far border is than the near one. */
const DEPTH = 4;

/**
 * The homography of a camera that looks over the field at an angle, (x, y) ↦ (x, y)/w with w from 1 at the least y to 4 at the greatest: lengths there are a quarter along x and
 * a sixteenth along y. And its inverse.
 * @param {Detections} detections
 */
export function camera({ x, y }) {
  const [left, low] = [least(x), least(y)];
  const height = -least(y.map((value) => -value)) - low;
  return {
    /** @type {(x: number, y: number) => [number, number]} */
    to: (px, py) => {
      const w = 1 + ((DEPTH - 1) * (py - low)) / height;
      return [(px - left) / w, (py - low) / w];
    },
    /** @type {(u: number, v: number) => [number, number]} */
    back: (u, v) => {
      const w = 1 / (1 - ((DEPTH - 1) * v) / height);
      return [left + u * w, low + v * w];
    },
  };
}

/** Rounded first, and then seen in perspective. @param {Detections} detections */
export function inPerspective(detections) {
  return seen(rounded(detections), camera(detections).to);
}

/** Seen in perspective, rounded to pixels, and brought back to the ground. @param {Detections} detections */
export function onGround(detections) {
  const { to, back } = camera(detections);
  return seen(rounded(seen(detections, to)), back);
}

/** Frames numbered 5, 15, 25, …, read from a file as `rmap solve` reads it. @param {Detections} detections */
export function strided({ frames, frameStart, x, y, target }) {
  let text = "frame,x,y,target\n";
  for (let p = 0; p < frames; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) text += `${10 * p + 5},${x[d]},${y[d]},${target[d]}\n`;
  }
  const folder = mkdtempSync(join(tmpdir(), "stand-in-"));
  try {
    const file = join(folder, "strided.csv");
    writeFileSync(file, text);
    return readDetections(file, "ignored").detections;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Every tenth frame is empty. @param {Detections} detections */
export function withHoles(detections) {
  return selected(detections, (_, p) => p % 10 !== 7);
}

/** A few targets only. @param {Detections} detections */
export function sparse(detections, targets = 4) {
  return selected(detections, (d) => detections.target[d] < targets);
}

/**
 * @param {Detections} detections
 * @param {(d: number, p: number) => boolean} keep
 */
function selected(detections, keep) {
  const { frames, frameStart, x, y, target } = detections;
  const kept = [];
  const starts = new Uint32Array(frames + 1);
  for (let p = 0; p < frames; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) if (keep(d, p)) kept.push(d);
    starts[p + 1] = kept.length;
  }
  return {
    ...detections,
    frameStart: starts,
    x: Float64Array.from(kept, (d) => x[d]),
    y: Float64Array.from(kept, (d) => y[d]),
    target: Int32Array.from(kept, (d) => target[d]),
  };
}

/** Median distance to the nearest detection of the same frame; not the one of src/, since what is judged does not make its own input. @param {Detections} detections */
function spacingOf({ frames, frameStart, x, y }) {
  const nearest = [];
  for (let p = 0; p < frames; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      let near = Infinity;
      for (let j = frameStart[p]; j < frameStart[p + 1]; j++) {
        if (j !== i) near = Math.min(near, Math.hypot(x[i] - x[j], y[i] - y[j]));
      }
      if (near < Infinity) nearest.push(near);
    }
  }
  return nearest.sort((a, b) => a - b)[Math.floor(nearest.length / 2)];
}

/** @param {Float64Array} values */
function least(values) {
  return values.reduce((low, value) => Math.min(low, value), Infinity);
}
