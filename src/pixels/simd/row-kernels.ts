/// <reference path="./web-assembly.d.ts" />
/** Kernels of WebAssembly, four pixels at a time, that work on planes in shared memory; the rows of a plane are shared among threads. */
import { InputError } from "../../core/errors.js";
import { readPackageFile } from "../../core/package-file.js";
import { sharedFloat64 } from "../../core/shared-arrays.js";
import { type Crew, openCrew } from "../../core/team.js";
import type { Work } from "../../core/team-work.js";

/** The functions of wasm/kernels.ts. */
const KERNELS = ["add", "blurAcross", "blurDown", "iterate", "linearize", "median", "resample"] as const;
export type RowKernel = (typeof KERNELS)[number];

/** Bytes of a page of WebAssembly, and how many pages there can be. */
export const PAGE = 65536;
export const MOST_PAGES = 65536;

/** Most arguments of a kernel. */
const ARGUMENTS = 24;

/** Seconds of work after which the other threads begin: their start takes longer. */
const PATIENCE = 0.05;

interface RowsMemory {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Rows, rows of a band, number of arguments, arguments of the present call. */
  readonly call: Float64Array;
}

/** Item b of a task is band b of the rows. */
export function bindRows({ module, memory, call }: RowsMemory): Work {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return (task, band) => {
    const [rows, rowsOfBand, count] = call;
    const first = band * rowsOfBand;
    exports[KERNELS[task]](first, Math.min(rows, first + rowsOfBand), ...call.subarray(3, 3 + count));
  };
}

/** Shared memory with the kernels that work on it. Addresses count bytes. */
export class RowKernels {
  readonly floats: Float32Array;
  readonly integers: Int32Array;
  readonly #call = sharedFloat64(3 + ARGUMENTS);
  readonly #crew: Crew;

  /** @throws InputError with `tooMany` where `bytes` are more than WebAssembly can address */
  constructor(
    bytes: number,
    tooMany: string,
    { threads, now }: { readonly threads: number; readonly now: () => number },
  ) {
    const pages = Math.ceil(bytes / PAGE);
    if (pages > MOST_PAGES) throw new InputError(tooMany);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    this.floats = new Float32Array(memory.buffer);
    this.integers = new Int32Array(memory.buffer);
    const shared = { module: new WebAssembly.Module(readPackageFile("#simd.wasm")), memory, call: this.#call };
    this.#crew = openCrew(threads, "#rows-worker", shared, bindRows(shared), { after: PATIENCE, now });
  }

  /** Runs a kernel on the rows of a plane, `rowsOfBand` at a time; `args` are what follows its first and last row. */
  run(kernel: RowKernel, rows: number, rowsOfBand: number, args: readonly number[]): Promise<void> {
    this.#call.set([rows, rowsOfBand, args.length, ...args]);
    return this.#crew.run(KERNELS.indexOf(kernel), Math.ceil(rows / rowsOfBand));
  }

  close(): void {
    this.#crew.close();
  }
}
