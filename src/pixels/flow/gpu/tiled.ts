import type { FlowPrecision } from "../options.js";
import { checkDepth, checkThreads, type FlowScheme, PAIR_BYTES } from "./scheme.js";
import { tiledBlock } from "./tiled-block.js";

export interface TiledShape {
  /** Iterations of one dispatch at most. */
  readonly depth: number;
  /** Threads of a workgroup along x and y. */
  readonly workgroup: readonly [number, number];
  /** Columns and rows of a thread's pixels. */
  readonly block: readonly [number, number];
}

/** The parts of a shape that are asked for. */
export type TiledChoice = { readonly [part in keyof TiledShape]?: TiledShape[part] | undefined };

/** The fastest of the shapes timed on an H100 (lab/notes/flow.md, parts blocks-whole and blocks-f32). */
export function tiledShape(precision: FlowPrecision, threads: number): TiledShape {
  const block = [2, 2] as const;
  if (precision !== "f16") return { block, workgroup: [16, 16], depth: 6 };
  return { block, workgroup: threads >= 512 ? [32, 16] : [16, 16], depth: 5 };
}

/** Tiles with a halo of as many pixels as iterations, in registers: tiled.wgsl. */
export const tiled =
  (choice: TiledChoice = {}): FlowScheme =>
  (level) => {
    const { size, pairs, iterations, precision, threads } = level;
    const usual = tiledShape(precision, threads);
    const { block = usual.block, workgroup = usual.workgroup } = choice;
    checkThreads(workgroup, level);
    const [width, height] = [block[0] * workgroup[0], block[1] * workgroup[1]];
    // Workgroup memory holds u and half of p of the edges of every block.
    const edges = 2 * (block[0] + block[1]) * workgroup[0] * workgroup[1] * PAIR_BYTES[precision];
    const most = edges > level.bytes ? 0 : Math.ceil(Math.min(width, height) / 2) - 1;
    checkDepth("tiled", choice.depth ?? 1, most, level);
    const depth = Math.max(1, Math.min(choice.depth ?? usual.depth, most, iterations));
    const [X, Y] = workgroup;
    const [COLUMNS, ROWS] = block;
    return {
      name: `tiled (${depth})`,
      depth,
      kernels: {
        tiled: {
          file: new URL("./tiled.wgsl", import.meta.url),
          constants: { X, Y, COLUMNS, ROWS },
          texts: { block: tiledBlock(COLUMNS, ROWS) },
        },
      },
      round: (count) => [
        ["tiled", [Math.ceil(size.width / (width - 2 * count)), Math.ceil(size.height / (height - 2 * count)), pairs]],
      ],
    };
  };
