/** What a worker thread of createCpuSteps runs, by the name #ascent-worker of package.json. */
import { workerData } from "piscina";
import { bindKernels, type KernelMemory } from "./cpu-steps.js";

export default bindKernels(workerData as KernelMemory);
