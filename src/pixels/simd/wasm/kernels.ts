// All kernels of simd.wasm (AssemblyScript); ../row-kernels.ts and ../local-kernels.ts run them.

export { convolve } from "./convolve";
export { candidates } from "./extrema";
export { blurAcross, blurDown, median, resample } from "./filters";
export { add, iterate, linearize } from "./flow";
export { directionSums, samples, spread } from "./gradients";
