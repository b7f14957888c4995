/**
 * A general q(s | s′) of track-before-detect, a matrix of chances from vector to vector in each frame (Mazurek 2010, eq. (1b)), beside none and the share that `--switch` spreads over
 * the nearest vectors. Spots of σ 1 after their matched filter, that go straight or turn by 2° a frame; thresholds leave one false alarm a frame on noise alone.
 *
 *     npm run build && node lab/tbd/matrix.mjs [--rows lab/results/tbd-matrix.jsonl] [--size 96] [--frames 60] [--targets 12] [--seeds 2] [--spacings 1,0.5] [--matrices "none;any vector 0.05"]
 */
import { parseArgs } from "node:util";
import { randomStreams } from "../../dist/core/random.js";
import { motionVectors } from "../../dist/pixels/before-detect/vectors.js";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";

const { values } = parseArgs({
  options: {
    rows: { type: "string" },
    size: { type: "string", default: "96" },
    frames: { type: "string", default: "60" },
    targets: { type: "string", default: "12" },
    seeds: { type: "string", default: "2" },
    spacings: { type: "string", default: "1,0.5" },
    matrices: { type: "string" },
  },
});
const [size, frames, targets, seeds] = [values.size, values.frames, values.targets, values.seeds].map(Number);
const ALPHA = 0.9;
const RADIUS = 2;
const SPEED = 2;
/** Frames before the state has settled. */
const SETTLED = Math.min(30, frames / 2);

/** Images of unit noise with spots of peak `snr`, by the matched filter of unit gain of noise; and the places of the targets. */
function scene(seed, snr, turn) {
  const [random] = randomStreams(seed);
  const paths = Array.from({ length: snr === 0 ? 0 : targets }, () => {
    for (;;) {
      let [x, y] = [random.uniform(8, size - 8), random.uniform(8, size - 8)];
      const [{ cos, sin }, speed] = [random.direction(), SPEED * Math.sqrt(random.uniform(0, 1))];
      let heading = Math.atan2(sin, cos);
      const path = Array.from({ length: frames }, () => {
        [x, y] = [x + speed * Math.cos(heading), y + speed * Math.sin(heading)];
        heading += turn;
        return { x, y };
      });
      if (path.every(({ x, y }) => Math.min(x, y) > 8 && Math.max(x, y) < size - 8)) return path;
    }
  });
  const kernel = Array.from({ length: 7 }, (_, k) => Math.exp(-((k - 3) ** 2) / 2));
  const gain = Math.sqrt(kernel.reduce((sum, a) => sum + a * a, 0));
  const images = Array.from({ length: frames }, (_, k) => {
    const image = Float64Array.from({ length: size * size }, () => random.normal());
    for (const path of paths) {
      for (let i = 0; i < size * size; i++) {
        const square = ((i % size) - path[k].x) ** 2 + (Math.floor(i / size) - path[k].y) ** 2;
        if (square < 25) image[i] += snr * Math.exp(-square / 2);
      }
    }
    const along = (from, step) =>
      Float64Array.from(from, (_, i) => {
        let sum = 0;
        for (let d = -3; d <= 3; d++) {
          const at = step === 1 ? (i % size) + d : Math.floor(i / size) + d;
          if (at >= 0 && at < size) sum += (kernel[d + 3] / gain) * from[i + d * step];
        }
        return sum;
      });
    return along(along(image, 1), size);
  });
  return { images, paths };
}

/** Matrices by name: rows are the vectors after, columns those before. Each column adds up to 1. */
function matrices(vectors) {
  const square = (a, b) => (a.x - b.x) ** 2 + (a.y - b.y) ** 2;
  const least = Math.min(...vectors.slice(1).map((v) => square(v, vectors[0])));
  const normal = (weigh) => {
    const q = vectors.map((to) => vectors.map((from) => weigh(to, from)));
    const sums = vectors.map((_, from) => q.reduce((sum, row) => sum + row[from], 0));
    return q.map((row) => row.map((value, from) => value / sums[from]));
  };
  const gauss = (sigma) => normal((a, b) => Math.exp(-square(a, b) / (2 * sigma ** 2)));
  const near = vectors.map((from) => vectors.filter((to) => to !== from && square(from, to) < 1.01 * least).length);
  return {
    none: null,
    "nearest 0.2": normal((a, b) => (a === b ? 0.8 : square(a, b) < 1.01 * least ? 0.2 / near[vectors.indexOf(b)] : 0)),
    "nearest 0.05": normal((a, b) =>
      a === b ? 0.95 : square(a, b) < 1.01 * least ? 0.05 / near[vectors.indexOf(b)] : 0,
    ),
    "normal, σ 0.1": gauss(0.1),
    "normal, σ 0.2": gauss(0.2),
    "normal, σ 0.5": gauss(0.5),
    "normal, σ 1": gauss(1),
    "any vector 0.05": normal((a, b) => (a === b ? 0.95 : 0) + 0.05 / vectors.length),
  };
}

/** The largest P over the vectors of each frame from SETTLED on, by the recursion with a matrix. */
function best(images, vectors, q) {
  let planes = vectors.map(() => new Float64Array(size * size));
  const moved = (v, k) => [Math.floor(k * v.x + 0.5), Math.floor(k * v.y + 0.5)];
  return images.flatMap((image, frame) => {
    const mixed = q === null ? planes : q.map((row) => mix(row, planes));
    planes = mixed.map((plane, n) => {
      const [[x1, y1], [x0, y0]] = [moved(vectors[n], frame + 1), moved(vectors[n], frame)];
      const [dx, dy] = [x1 - x0, y1 - y0];
      return Float64Array.from(plane, (_, i) => {
        const [x, y] = [(i % size) - dx, Math.floor(i / size) - dy];
        const inside = x >= 0 && y >= 0 && x < size && y < size;
        return inside ? ALPHA * plane[y * size + x] + (1 - ALPHA) * image[i] : (1 - ALPHA) * image[i];
      });
    });
    if (frame < SETTLED) return [];
    return [Float64Array.from(image, (_, i) => planes.reduce((most, plane) => Math.max(most, plane[i]), -1e9))];
  });
}

function mix(row, planes) {
  const into = new Float64Array(size * size);
  row.forEach((share, n) => {
    if (share < 1e-6) return;
    const plane = planes[n];
    for (let i = 0; i < into.length; i++) into[i] += share * plane[i];
  });
  return into;
}

/** Places that are the largest within the radius. */
function peaks(state) {
  const found = [];
  for (let y = RADIUS; y < size - RADIUS; y++) {
    for (let x = RADIUS; x < size - RADIUS; x++) {
      const value = state[y * size + x];
      let isPeak = true;
      for (let dy = -RADIUS; dy <= RADIUS && isPeak; dy++)
        for (let dx = -RADIUS; dx <= RADIUS; dx++) if (state[(y + dy) * size + x + dx] > value) isPeak = false;
      if (isPeak) found.push({ x, y, value });
    }
  }
  return found;
}

const made = provenance(new Date());
const within = (a, b, reach) => Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y)) <= reach;
for (const spacing of values.spacings.split(",").map(Number)) {
  const vectors = motionVectors(SPEED, spacing);
  for (const [name, q] of Object.entries(matrices(vectors))) {
    if (values.matrices !== undefined && !values.matrices.split(";").includes(name)) continue;
    const noise = best(scene(1000, 0, 0).images, vectors, q).flatMap(peaks);
    const outputs = frames - SETTLED;
    const threshold = noise.map(({ value }) => value).sort((a, b) => b - a)[outputs];
    for (const [snr, turn] of [
      [1, 0],
      [1, 2],
      [1.5, 2],
      [1, 6],
    ]) {
      let [hits, places, alarms] = [0, 0, 0];
      for (let seed = 1; seed <= seeds; seed++) {
        const { images, paths } = scene(seed, snr, (turn * Math.PI) / 180);
        best(images, vectors, q).forEach((state, n) => {
          const found = peaks(state).filter(({ value }) => value > threshold);
          const truth = paths.map((path) => path[SETTLED + n]);
          hits += truth.filter((place) => found.some((peak) => within(peak, place, RADIUS))).length;
          places += truth.length;
          alarms += found.filter((peak) => !truth.some((place) => within(peak, place, 2 * RADIUS))).length;
        });
      }
      const row = {
        vectors: vectors.length,
        matrix: name,
        snr,
        turn,
        found: hits / places,
        falseAlarms: alarms / (outputs * seeds),
      };
      keepRow(values.rows, {
        benchmark: "tbd-matrix",
        ...row,
        threshold,
        alpha: ALPHA,
        size,
        frames,
        targets,
        seeds,
        ...made,
      });
      console.log(
        `${row.vectors} vectors, ${name.padEnd(16)} SNR ${snr}, ${turn}° a frame: found ${row.found.toFixed(2)}, ${row.falseAlarms.toFixed(1)} false alarms a frame`,
      );
    }
  }
}
