/// <reference path="./web-assembly.d.ts" />
/** Kernels of WebAssembly that one thread runs by itself, on numbers that are copied into its memory. */
import { InputError } from "../../core/errors.js";
import { readPackageFile } from "../../core/package-file.js";
import { MOST_PAGES, PAGE } from "./row-kernels.js";

/** The functions of wasm/kernels.ts that are called here. */
type LocalKernel = "candidates" | "convolve" | "directionSums" | "samples" | "spread";

export interface LocalKernels {
  readonly floats: Float32Array;
  readonly doubles: Float64Array;
  readonly integers: Int32Array;
  readonly run: Readonly<Record<LocalKernel, (...numbers: number[]) => number>>;
}

let memory: WebAssembly.Memory | null = null;
let kernels: LocalKernels | null = null;
let run: LocalKernels["run"] | null = null;

/** The kernels of this thread with `bytes` of memory at least, which what ran before may have written to. */
export function localKernels(bytes: number): LocalKernels {
  const pages = Math.ceil(bytes / PAGE);
  if (kernels !== null && kernels.floats.byteLength >= pages * PAGE) return kernels;
  if (pages > MOST_PAGES) {
    throw new InputError(
      `the image takes ${(bytes / 2 ** 30).toFixed(1)} GiB, and WebAssembly has 4; choose a GPU, or a part of the image`,
    );
  }
  if (memory === null || run === null) {
    memory = new WebAssembly.Memory({ initial: pages, maximum: MOST_PAGES, shared: true });
    const module = new WebAssembly.Module(readPackageFile("#simd.wasm"));
    run = new WebAssembly.Instance(module, { env: { memory } }).exports as LocalKernels["run"];
  } else memory.grow(pages - memory.buffer.byteLength / PAGE);
  const { buffer } = memory;
  kernels = {
    floats: new Float32Array(buffer),
    doubles: new Float64Array(buffer),
    integers: new Int32Array(buffer),
    run,
  };
  return kernels;
}
