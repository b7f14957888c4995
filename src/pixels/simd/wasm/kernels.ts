// All kernels of simd.wasm (AssemblyScript); ../row-kernels.ts runs them.

export { blurAcross, blurDown, median, resample } from "./filters";
export { add, iterate, linearize } from "./flow";
