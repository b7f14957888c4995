/**
 * What a worker thread of gpu.mjs does with LAPs first … end − 1 of a batch of dense n × n LAPs, whose f32 costs lie in shared
 * memory: draws them, changes n of each, or certifies answers in f64. A LAP has a random stream of its own.
 */
import { certifyLap, denseLap } from "rmap/lap";
import { randomStreams } from "../../dist/core/random.js";

/** Changed costs move by up to this. */
const CHANGE = 0.025;

export default function work(task) {
  if (task.pass === "certify") return worstGap(task);
  const { size, first, end, costs, seed, pass } = task;
  const streams = randomStreams(seed);
  for (let lap = 0; lap < first; lap++) streams.next();
  for (let lap = first; lap < end; lap++) {
    const random = streams.next().value;
    const own = costs.subarray(lap * size * size, (lap + 1) * size * size);
    if (pass === "draw") {
      // 24 bits, all that f32 holds below 1.
      for (let k = 0; k < own.length; k++) own[k] = Math.floor(random.uniform(0, 2 ** 24)) / 2 ** 24;
    } else {
      for (let k = 0; k < size; k++) own[Math.floor(random.uniform(0, own.length))] += random.uniform(-CHANGE, CHANGE);
    }
  }
  return 0;
}

/** The largest gap of these LAPs relative to their costs; Infinity where one is not solved. The answers are those of the range. */
function worstGap({ size, first, end, costs, columnOfRow, rowDual, columnDual }) {
  let worst = 0;
  for (let lap = first; lap < end; lap++) {
    const problem = denseLap(size, size, costs.subarray(lap * size * size, (lap + 1) * size * size));
    const from = (lap - first) * size;
    const columns = columnOfRow.subarray(from, from + size);
    const rowOfColumn = new Int32Array(size).fill(-1);
    columns.forEach((j, i) => {
      rowOfColumn[j] = i;
    });
    const certificate = certifyLap(problem, {
      columnOfRow: columns,
      entryOfRow: columns.map((j, i) => i * size + j),
      rowOfColumn,
      rowDual: Float64Array.from(rowDual.subarray(from, from + size)),
      columnDual: Float64Array.from(columnDual.subarray(from, from + size)),
    });
    worst = certificate.complete ? Math.max(worst, certificate.gap / certificate.primalCost) : Number.POSITIVE_INFINITY;
  }
  return worst;
}
