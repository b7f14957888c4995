/**
 * Schemes of the iterations of flow that only replicate, for `createGpuFlow(session, { scheme })`: the four of Romera et al. 2023, §3.3, and
 * one of a whole level in a workgroup. On an H100 scheme tiled of the product is faster at every size and in every format (lab/notes/flow.md).
 */
import { checkDepth, checkThreads, PAIR_BYTES } from "../../../dist/pixels/flow/gpu/scheme.js";
import { tiled } from "../../../dist/pixels/flow/gpu/tiled.js";

/** @typedef {import("rmap/pixels").FlowScheme} FlowScheme */
/** @typedef {{ depth?: number, workgroup?: readonly [number, number], rows?: number }} Choice iterations a dispatch, threads along x and y, rows of a strip */

const file = (name) => new URL(`./${name}.wgsl`, import.meta.url);
const up = Math.ceil;

/** Bytes of a pixel's u − u⁰ and p, and of ∇I1 and r, as the kernels store them. */
const stateBytes = (precision) => 3 * PAIR_BYTES[precision];
const LINEAR_BYTES = { f32: 12, f16s: 8, f16: 8 };

/** Iterations a dispatch of the pipelines where nothing is asked for, as in Romera et al. 2023. */
const DEFAULT_DEPTH = 5;

/** Two dispatches an iteration, a half stencil each, in place. @type {() => FlowScheme} */
export const global =
  () =>
  ({ size: { width, height }, pairs }) => ({
    name: "global",
    depth: 1,
    inPlace: true,
    kernels: { primal: { file: file("primal"), constants: {} }, dual: { file: file("dual"), constants: {} } },
    round: () => ["primal", "dual"].map((name) => [name, [up(width / 32), up(height / 8), pairs]]),
  });

/** One dispatch an iteration: Shared_fusion of the paper. @type {(choice?: Choice) => FlowScheme} */
export const fused =
  ({ workgroup } = {}) =>
  (level) => {
    const { size, pairs, threads } = level;
    const [x, y] = workgroup ?? (threads >= 512 ? [32, 16] : [32, 8]);
    checkThreads([x, y], level);
    return {
      name: "fused",
      depth: 1,
      kernels: { fused: { file: file("fused"), constants: { X: x, Y: y } } },
      round: () => [["fused", [up(size.width / (x - 1)), up(size.height / (y - 1)), pairs]]],
    };
  };

/** A kernel for each number of iterations: the last dispatch of a warp may hold fewer, and a measured iteration stands alone. */
const byDepth = (name, depth, constants) =>
  Object.fromEntries(
    Array.from({ length: depth }, (_, k) => [
      `${k + 1}`,
      { file: file(name), constants: { ...constants, DEPTH: k + 1 } },
    ]),
  );

/** Strips of rows over the whole width: Fig. 6 of the paper. @type {(choice?: Choice) => FlowScheme} */
export const globalPipeline =
  ({ depth: asked, workgroup, rows = 16 } = {}) =>
  (level) => {
    const { size, pairs, iterations, precision } = level;
    const [threads] = workgroup ?? [Math.min(level.threads, 1024)];
    checkThreads([threads, 1], level);
    checkDepth("global-pipeline", asked ?? 1, 1000, level);
    const depth = Math.max(1, Math.min(asked ?? DEFAULT_DEPTH, iterations));
    const strips = up(size.height / rows);
    const pixels = strips * (rows + 2 * depth) * size.width * pairs;
    const words = PAIR_BYTES[precision] / 4;
    return {
      name: `global-pipeline (${depth})`,
      depth,
      scratch: { copy: words * pixels, copyDual: 2 * words * pixels },
      kernels: byDepth("global-pipeline", depth, { THREADS: threads, ROWS: rows }),
      round: (count) => [[`${count}`, [1, strips, pairs]]],
    };
  };

/** The same over windows of columns, in workgroup memory: Fig. 7 of the paper. @type {(choice?: Choice) => FlowScheme} */
export const sharedPipeline =
  ({ depth: asked, workgroup, rows = 32 } = {}) =>
  (level) => {
    const { size, pairs, iterations, precision, bytes } = level;
    const [columns] = workgroup ?? [128];
    checkThreads([columns, 1], level);
    const most = sharedDepth(columns, precision, bytes);
    checkDepth("shared-pipeline", asked ?? 1, most, level);
    const depth = Math.max(1, Math.min(asked ?? DEFAULT_DEPTH, most, iterations));
    return {
      name: `shared-pipeline (${depth})`,
      depth,
      kernels: byDepth("shared-pipeline", depth, { W: columns, ROWS: rows }),
      round: (count) => [[`${count}`, [up(size.width / (columns - 2 * count)), up(size.height / rows), pairs]]],
    };
  };

/** The most iterations that a dispatch of shared-pipeline holds: its lines fill workgroup memory, and its window must be wider than its halo. */
export function sharedDepth(columns, precision, bytes) {
  const lines = Math.floor(bytes / (columns * (stateBytes(precision) + LINEAR_BYTES[precision])));
  return Math.min(lines - 1, up(columns / 2) - 1);
}

/** All iterations in one dispatch where a level fits a workgroup's memory, else tiled. @type {(choice?: Choice) => FlowScheme} */
export const wholeLevel =
  ({ workgroup } = {}) =>
  (level) => {
    const { size, pairs, iterations, precision, bytes } = level;
    const cells = size.width * size.height;
    if (cells * stateBytes(precision) > bytes) return tiled()(level);
    const [x, y] = workgroup ?? [Math.min(level.threads, 1024), 1];
    checkThreads([x, y], level);
    return {
      name: "level",
      depth: iterations,
      kernels: { level: { file: file("level"), constants: { THREADS: x * y, CELLS: cells } } },
      round: () => [["level", [pairs, 1, 1]]],
    };
  };

/** By the names that rows give them. @type {Readonly<Record<string, (choice?: Choice) => FlowScheme>>} */
export const SCHEMES = {
  global,
  fused,
  "global-pipeline": globalPipeline,
  "shared-pipeline": sharedPipeline,
  tiled,
  level: wholeLevel,
};
