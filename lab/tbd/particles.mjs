/**
 * A particle filter for one target that may not be there (Salmond & Birch 2001; of the comparison by Davey, Rutten & Cheung, EURASIP JASP 2008, 428036): what bayes-grid.mjs computes
 * exactly on cells, by samples of places and velocities between them. To compare with; rmap has no such filter.
 */
import { randomStreams } from "../../dist/core/random.js";
import { bilinear } from "../../dist/pixels/image.js";

/** Chances a frame that a target appears somewhere, and that it goes; as of the grid. */
const APPEARS = 0.05;
const GOES = 0.05;

/** Per frame at most one detection: the mean place of the particles that have a target; score = log odds that there is one. Arguments as of bayesGrid. */
export function particleFilter(filtered, { width, height }, { particles, speed, amplitude, wander, threshold }) {
  const [random] = randomStreams(1);
  let [x, y, vx, vy] = [0, 1, 2, 3].map(() => new Float64Array(particles));
  // Of each particle whether it has a target.
  let has = new Uint8Array(particles);
  return filtered.map((image, frame) => {
    const weight = new Float64Array(particles);
    let [present, total] = [0, 0];
    for (let i = 0; i < particles; i++) {
      if (has[i] === 1) {
        if (random.uniform(0, 1) < GOES) has[i] = 0;
        else {
          vx[i] += wander * random.normal();
          vy[i] += wander * random.normal();
          x[i] += vx[i];
          y[i] += vy[i];
          if (x[i] < 0 || y[i] < 0 || x[i] > width - 1 || y[i] > height - 1) has[i] = 0;
        }
      } else if (random.uniform(0, 1) < APPEARS) {
        has[i] = 1;
        x[i] = random.uniform(0, width - 1);
        y[i] = random.uniform(0, height - 1);
        const [{ cos, sin }, length] = [random.direction(), speed * Math.sqrt(random.uniform(0, 1))];
        vx[i] = length * cos;
        vy[i] = length * sin;
      }
      weight[i] = has[i] === 1 ? Math.exp(amplitude * bilinear(image, x[i], y[i]) - amplitude ** 2 / 2) : 1;
      total += weight[i];
      if (has[i] === 1) present += weight[i];
    }
    const place = { x: 0, y: 0, vx: 0, vy: 0 };
    for (let i = 0; i < particles; i++) {
      if (has[i] === 0) continue;
      const share = weight[i] / present;
      place.x += share * x[i];
      place.y += share * y[i];
      place.vx += share * vx[i];
      place.vy += share * vy[i];
    }
    const score = Math.log(present / (total - present));
    // Systematic resampling.
    const chosen = new Uint32Array(particles);
    let [sum, at] = [weight[0], 0];
    const offset = random.uniform(0, 1);
    for (let i = 0; i < particles; i++) {
      while (sum < ((i + offset) * total) / particles && at < particles - 1) sum += weight[++at];
      chosen[i] = at;
    }
    [x, y, vx, vy] = [x, y, vx, vy].map((values) => Float64Array.from(chosen, (from) => values[from]));
    has = Uint8Array.from(chosen, (from) => has[from]);
    return { frame, detections: score > threshold ? [{ ...place, score }] : [] };
  });
}
