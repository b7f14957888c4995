/** Images on their way to detections, and the motion between them. */

export { createCpuTbd } from "./before-detect/cpu.js";
export { detectBeforeTracking, type OutputFrame } from "./before-detect/detect.js";
export { noiseOfState } from "./before-detect/noise.js";
export { BEFORE_DETECT_DEFAULTS, type BeforeDetectOptions } from "./before-detect/options.js";
export { type MotionVector, motionVectors } from "./before-detect/vectors.js";
export { sampleFlow } from "./flow/at-detections.js";
export { type CpuFlowOptions, createCpuFlow } from "./flow/cpu-flow.js";
export { computeFlow, computeFlows, type FlowResult } from "./flow/flow.js";
export { createGpuFlow, type GpuFlowOptions } from "./flow/gpu/gpu-flow.js";
export { FLOW_PRESETS, type FlowOptions, type FlowPrecision, type FlowScheme } from "./flow/options.js";
export type { FlowSteps, ImagePair } from "./flow/steps.js";
export { type GreyImage, toGrey } from "./image.js";
