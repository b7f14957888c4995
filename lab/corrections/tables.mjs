import { rowsOf } from "../rows.mjs";

/** The inputs from which an order was chosen; the others are reported. */
const CHOSEN = new Set(["faults 1", "faults 2", "opensky_uk_120s", "ucy_zara02_0.8s"]);

const ORDERS = ["margin", "cost", "time", "random", "ends first"];

const inputOf = ({ input, seed }) => (seed === null ? input : `${input} ${seed}`);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const line = (cells) => `| ${cells.join(" | ")} |`;

/**
 * Looks and corrections by input and order, and their sums over either half.
 * @param {string} file
 */
export function tableOfOrders(file) {
  const rows = rowsOf(file).filter(({ left }) => left === 0);
  const cell = (own) =>
    own.length === 0
      ? "–"
      : ["looks", "corrections", "looksToHalf"]
          .map((field) => Math.round(mean(own.map((row) => row[field]))))
          .join(" / ");
  const inputs = [...new Set(rows.map(inputOf))];
  const lines = inputs.map((input) => {
    const own = rows.filter((row) => inputOf(row) === input);
    const { detections, errors } = own[0];
    return [input, detections, errors, ...ORDERS.map((order) => cell(own.filter((row) => row.order === order)))];
  });
  const sums = [true, false].map((isChosen) => {
    const half = inputs.filter((input) => CHOSEN.has(input) === isChosen);
    const sumOf = (order, field) =>
      half.reduce((sum, input) => {
        return sum + mean(rows.filter((row) => inputOf(row) === input && row.order === order).map((row) => row[field]));
      }, 0);
    const all = ORDERS.map((order) =>
      ["looks", "corrections", "looksToHalf"].map((field) => Math.round(sumOf(order, field))).join(" / "),
    );
    return [isChosen ? "**the half that chose**" : "**the other half**", "", "", ...all];
  });
  const head = ["input", "detections", "errors", ...ORDERS];
  return `${[head, head.map(() => "---"), ...lines, ...sums].map(line).join("\n")}\n`;
}

/**
 * Seconds of a correction by size.
 * @param {string} file
 */
export function tableOfSpeed(file) {
  const head = ["input", "detections", "frames", "triplets", "median s", "most s", "in all of the problem"];
  const lines = rowsOf(file).map(({ input, detections, frames, triplets, cpuSeconds, whole, corrections }) => [
    ...[input, detections, frames, triplets],
    ...[cpuSeconds.median.toFixed(3), cpuSeconds.max.toFixed(3), `${whole} of ${corrections}`],
  ]);
  return `${[head, head.map(() => "---"), ...lines].map(line).join("\n")}\n`;
}
