/** What a worker thread of RowKernels runs, by the name #rows-worker of package.json. */
export { bindRows as default } from "./row-kernels.js";
