/**
 * The Bayesian filter on a grid, which the published comparison of track-before-detect names first (Davey, Rutten & Cheung, EURASIP JASP 2008, 428036): the posterior of one
 * target's pixel and velocity, or that there is none, with the amplitude known. To compare with; rmap has no such filter.
 */
import { moved, nearestVectors } from "../../dist/pixels/before-detect/vectors.js";

/** Chances a frame that a target appears somewhere, and that it goes. */
const APPEARS = 0.05;
const GOES = 0.05;

/**
 * Per frame at most one detection: the place where the posterior, summed over the velocities, is largest; score = log odds that there is a target.
 * @param filtered frames filtered by the spot's shape of unit energy, whose likelihood ratio for a spot of amplitude A at a pixel is exp(m z − m²/2)
 * @param amplitude m: A times the root of the shape's energy
 * @param switching share of a state that goes to the nearest other velocities in a frame
 */
export function bayesGrid(filtered, { width, height }, { vectors, amplitude, switching, threshold }) {
  const cells = width * height;
  const near = nearestVectors(vectors);
  let planes = vectors.map(() => new Float64Array(cells));
  let absent = 1;
  return filtered.map(({ pixels }, n) => {
    const k = n + 1;
    const ratio = Float64Array.from(pixels, (z) => Math.exp(amplitude * z - (amplitude * amplitude) / 2));
    const born = (APPEARS * absent) / (cells * vectors.length);
    let gone = 0;
    let total = 0;
    const mixed = planes.map((plane, v) => {
      const into = plane.map((p) => (1 - switching) * p);
      for (const u of near[v]) {
        const share = switching / near[u].length;
        for (let i = 0; i < cells; i++) into[i] += share * planes[u][i];
      }
      return into;
    });
    for (const plane of planes) for (const p of plane) gone += GOES * p;
    planes = mixed.map((plane, v) => {
      const [dx, dy] = [vectors[v].x, vectors[v].y].map((speed) => moved(speed, k) - moved(speed, k - 1));
      const into = new Float64Array(cells);
      for (let y = 0, i = 0; y < height; y++) {
        for (let x = 0; x < width; x++, i++) {
          const inside = x - dx >= 0 && x - dx < width && y - dy >= 0 && y - dy < height;
          const from = inside ? (1 - GOES) * plane[i - dy * width - dx] : 0;
          into[i] = (from + born) * ratio[i];
          total += into[i];
        }
      }
      return into;
    });
    absent = (1 - APPEARS) * absent + gone;
    const sum = total + absent;
    const score = Math.log(total / absent);
    absent /= sum;
    for (const plane of planes) for (let i = 0; i < cells; i++) plane[i] /= sum;
    return { frame: n, detections: score > threshold ? [{ ...likeliest(planes, width), vx: 0, vy: 0, score }] : [] };
  });
}

/** The place with the largest sum over the velocities. */
function likeliest(planes, width) {
  const sums = planes[0].map((_, i) => planes.reduce((sum, plane) => sum + plane[i], 0));
  const at = sums.reduce((best, sum, i) => (sum > sums[best] ? i : best), 0);
  return { x: at % width, y: Math.floor(at / width) };
}
