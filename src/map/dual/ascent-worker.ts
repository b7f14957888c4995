/** The work of a thread of createCpuSteps, by the name #ascent-worker of package.json. */
export { bindKernels as default } from "./cpu-steps.js";
