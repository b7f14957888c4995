import { InputError } from "../../../core/errors.js";
import type { Size } from "../../image.js";
import type { FlowPrecision, FlowScheme } from "../options.js";

/** Bytes of u − u⁰ as the kernels store it; of p it is twice as much. */
const PAIR_BYTES: Readonly<Record<FlowPrecision, number>> = { f32: 8, f16s: 4, f16: 4 };
/** Bytes of a pixel's u − u⁰ and p, and of ∇I1 and r, as the kernels store them. */
const STATE_BYTES: Readonly<Record<FlowPrecision, number>> = { f32: 24, f16s: 12, f16: 12 };
const LINEAR_BYTES: Readonly<Record<FlowPrecision, number>> = { f32: 12, f16s: 8, f16: 8 };

/** Pixels of a thread of scheme tiled, columns × rows, where nothing is asked for. */
const DEFAULT_BLOCK = [2, 2] as const;

/** The limits of the device that decide the shapes. */
export interface WorkgroupLimits {
  readonly threads: number;
  /** Of workgroup memory. */
  readonly bytes: number;
}

/** The caller's choices; the rest has defaults. */
export interface SchemeChoice {
  readonly scheme: FlowScheme;
  readonly depth?: number | undefined;
  /** Threads of a workgroup along x and y. */
  readonly workgroup?: readonly [number, number] | undefined;
  /** Columns and rows of a thread's pixels, for tiled. */
  readonly block?: readonly [number, number] | undefined;
  /** Rows of a strip, for the pipelines. */
  readonly rows?: number | undefined;
}

/** How the iterations of a level run. */
export interface SchemePlan {
  readonly scheme: FlowScheme;
  /** Iterations of one dispatch at most. */
  readonly depth: number;
  readonly workgroup: readonly [number, number];
  readonly block: readonly [number, number];
  readonly rows: number;
  /** Pixels of the level. */
  readonly cells: number;
  /** Its name in results. */
  readonly name: string;
}

/** Iterations a dispatch of the pipelines where nothing is asked for, as in Romera et al. 2023. */
const DEFAULT_DEPTH = 5;
const DEFAULT_ROWS: Partial<Readonly<Record<FlowScheme, number>>> = { "global-pipeline": 16, "shared-pipeline": 32 };

/**
 * The plan for a level: `level` falls to `tiled` where the level does not fit one workgroup's memory, and the plan's name says so.
 * @throws InputError where the depth or workgroup asked for does not fit the device, naming the limit
 */
export function planScheme(
  choice: SchemeChoice,
  size: Size,
  iterations: number,
  precision: FlowPrecision,
  limits: WorkgroupLimits,
): SchemePlan {
  const { scheme } = choice;
  if (scheme === "level" && size.width * size.height > levelCells(precision, limits)) {
    return planScheme({ scheme: "tiled", depth: choice.depth }, size, iterations, precision, limits);
  }
  const workgroup = choice.workgroup ?? defaultWorkgroup(scheme, precision, limits);
  const [x, y] = workgroup;
  if (x * y > limits.threads) {
    throw new InputError(
      `flow: a workgroup of ${x} × ${y} threads is more than the device's ${limits.threads}; give a smaller one`,
    );
  }
  const cells = size.width * size.height;
  const rows = choice.rows ?? DEFAULT_ROWS[scheme] ?? 1;
  const block = scheme === "tiled" ? (choice.block ?? DEFAULT_BLOCK) : ([1, 1] as const);
  const named = (depth: number, name: string): SchemePlan => ({ scheme, depth, workgroup, block, rows, cells, name });
  if (scheme === "level") return named(iterations, "level");
  if (scheme === "global" || scheme === "fused") {
    if (choice.depth !== undefined && choice.depth !== 1) {
      throw new InputError(`flow: scheme ${scheme} runs one iteration a dispatch; leave --depth out`);
    }
    return named(1, scheme);
  }
  const most = greatestDepth(scheme, workgroup, precision, limits, block);
  if (most < 1 || (choice.depth ?? 1) > most) {
    throw new InputError(
      `flow: ${choice.depth ?? 1} iterations a dispatch of ${x} × ${y} threads do not fit ${scheme} in ${precision} on this device; give --depth 1 to ${most}`,
    );
  }
  const usual = scheme === "tiled" ? tiledShape(precision, limits).depth : DEFAULT_DEPTH;
  const depth = Math.max(1, Math.min(choice.depth ?? usual, most, iterations));
  return named(depth, `${scheme} (${depth})`);
}

/** The largest number of iterations that one dispatch of a scheme can hold. */
export function greatestDepth(
  scheme: FlowScheme,
  [x, y]: readonly [number, number],
  precision: FlowPrecision,
  { bytes }: WorkgroupLimits,
  [columns, rows]: readonly [number, number] = DEFAULT_BLOCK,
): number {
  if (scheme === "tiled") {
    if (2 * (columns + rows) * x * y * PAIR_BYTES[precision] > bytes) return 0;
    return Math.ceil(Math.min(columns * x, rows * y) / 2) - 1;
  }
  if (scheme === "shared-pipeline") {
    const lines = Math.floor(bytes / (x * (STATE_BYTES[precision] + LINEAR_BYTES[precision])));
    return Math.min(lines - 1, Math.ceil(x / 2) - 1);
  }
  return scheme === "global-pipeline" ? 1000 : 1;
}

/** Pixels that scheme `level` can hold in one workgroup's memory. */
function levelCells(precision: FlowPrecision, { bytes }: WorkgroupLimits): number {
  return Math.floor(bytes / STATE_BYTES[precision]);
}

/** The shape of scheme tiled where nothing is asked for: the fastest of those timed on an H100 (docs/flow.md, parts blocks-whole and blocks-f32). */
export function tiledShape(
  precision: FlowPrecision,
  { threads }: WorkgroupLimits,
): Pick<SchemePlan, "block" | "workgroup" | "depth"> {
  if (precision !== "f16") return { block: DEFAULT_BLOCK, workgroup: [16, 16], depth: 6 };
  return { block: DEFAULT_BLOCK, workgroup: threads >= 512 ? [32, 16] : [16, 16], depth: 5 };
}

function defaultWorkgroup(
  scheme: FlowScheme,
  precision: FlowPrecision,
  limits: WorkgroupLimits,
): readonly [number, number] {
  const { threads } = limits;
  switch (scheme) {
    case "tiled":
      return tiledShape(precision, limits).workgroup;
    case "fused":
      return threads >= 512 ? [32, 16] : [32, 8];
    case "shared-pipeline":
      return [128, 1];
    case "global-pipeline":
    case "level":
      return [Math.min(threads, 1024), 1];
    case "global":
      return [32, 8];
  }
}
