/** Keypoint files as other programs write them: `rmap detect --format`. Converted on the way; see docs/explanation/features.md. */
import { DESCRIPTOR_LENGTH, type Keypoints } from "../core/keypoints.js";

const PER_LINE = 20;
/** An angle in −π…π. */
const signed = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/** The directions of every cell the other way round, t → −t mod 8: Lowe's and OpenCV's order from ours and back. */
export function mirrorDirections(descriptor: Uint8Array): Uint8Array {
  return descriptor.map((_, k) => descriptor[(k & ~7) | (-k & 7)]);
}

const descriptorOf = ({ descriptors }: Keypoints, k: number): Uint8Array =>
  descriptors.subarray(DESCRIPTOR_LENGTH * k, DESCRIPTOR_LENGTH * (k + 1));

/** D. Lowe's program: `n 128`, then `row column σ angle` (y up) and 128 integers, 20 a line. */
export function formatLowe(keypoints: Keypoints): string {
  const lines = [`${keypoints.x.length} ${DESCRIPTOR_LENGTH}`];
  for (const [k, x] of keypoints.x.entries()) {
    const angle = signed(-keypoints.angle[k]);
    lines.push(`${keypoints.y[k].toFixed(3)} ${x.toFixed(3)} ${keypoints.sigma[k].toFixed(3)} ${angle.toFixed(4)}`);
    const descriptor = mirrorDirections(descriptorOf(keypoints, k));
    for (let at = 0; at < DESCRIPTOR_LENGTH; at += PER_LINE) {
      lines.push(` ${descriptor.subarray(at, at + PER_LINE).join(" ")}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** VLFeat's: a line each, `x y σ angle d0 … d127`, y down. */
export function formatVlfeat(keypoints: Keypoints): string {
  const lines = Array.from(keypoints.x, (x, k) =>
    [
      x.toFixed(4),
      keypoints.y[k].toFixed(4),
      keypoints.sigma[k].toFixed(4),
      signed(keypoints.angle[k]).toFixed(5),
      descriptorOf(keypoints, k).join(" "),
    ].join(" "),
  );
  return lines.map((line) => `${line}\n`).join("");
}

/** OpenCV's FileStorage: [x, y, 2σ, degrees, response, octave, class] and a matrix. Responses over 255, as OpenCV's images of 0 … 1. */
export function formatOpencv(keypoints: Keypoints): string {
  const { x, y, sigma, angle, response, place } = keypoints;
  const points = Array.from(x, (px, k) => {
    const degrees = (angle[k] * 180) / Math.PI;
    const numbers = [px, y[k], 2 * sigma[k], degrees, Math.abs(response[k]) / 255].map((value) => value.toPrecision(8));
    return `   - [ ${numbers.join(", ")}, 0, ${place[k]} ]`;
  });
  const rows = Array.from(x, (_, k) => `       ${mirrorDirections(descriptorOf(keypoints, k)).join(", ")}`);
  return [
    "%YAML:1.0",
    "---",
    points.length === 0 ? "keypoints: []" : `keypoints:\n${points.join("\n")}`,
    "descriptors: !!opencv-matrix",
    `   rows: ${x.length}`,
    `   cols: ${DESCRIPTOR_LENGTH}`,
    "   dt: u",
    x.length === 0 ? "   data: []" : `   data: [\n${rows.join(",\n")} ]`,
    "",
  ].join("\n");
}

/** The Oxford group's, for evaluation programs: `128`, `n`, then `u v a b c d0 …` with the ellipse of radius 3σ. */
export function formatOxford(keypoints: Keypoints): string {
  const lines = Array.from(keypoints.x, (x, k) => {
    const a = 1 / (3 * keypoints.sigma[k]) ** 2;
    return `${x.toFixed(4)} ${keypoints.y[k].toFixed(4)} ${a} 0 ${a} ${descriptorOf(keypoints, k).join(" ")}`;
  });
  return `${[DESCRIPTOR_LENGTH, lines.length, ...lines].join("\n")}\n`;
}

const COLUMNS = [
  "x",
  "y",
  "sigma",
  "angle",
  "response",
  "place",
  ...Array.from({ length: DESCRIPTOR_LENGTH }, (_, k) => `d${k}`),
];

/** A row a keypoint: x, y, sigma, angle, response, place, d0 … d127; f32. */
export function keypointRows(keypoints: Keypoints): { readonly columns: number; readonly rows: Float32Array } {
  const { x, y, sigma, angle, response, place } = keypoints;
  const rows = new Float32Array(x.length * COLUMNS.length);
  for (let k = 0; k < x.length; k++) {
    const row = rows.subarray(k * COLUMNS.length, (k + 1) * COLUMNS.length);
    row.set([x[k], y[k], sigma[k], angle[k], response[k], place[k]]);
    row.set(descriptorOf(keypoints, k), COLUMNS.length - DESCRIPTOR_LENGTH);
  }
  return { columns: COLUMNS.length, rows };
}

/** The same rows as CSV, behind the number of their frame, with a header. */
export function formatKeypointsCsv(keypoints: Keypoints, frame: number): string {
  const { columns, rows } = keypointRows(keypoints);
  const lines = Array.from(
    keypoints.x,
    (_, k) => `${frame},${rows.subarray(k * columns, (k + 1) * columns).join(",")}`,
  );
  return `${[`frame,${COLUMNS.join(",")}`, ...lines].join("\n")}\n`;
}
