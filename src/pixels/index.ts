/** Images on their way to detections. */

export { createCpuTbd } from "./before-detect/cpu.js";
export { detectBeforeTracking, type OutputFrame } from "./before-detect/detect.js";
export { noiseOfState } from "./before-detect/noise.js";
export { BEFORE_DETECT_DEFAULTS, type BeforeDetectOptions } from "./before-detect/options.js";
export { type MotionVector, motionVectors } from "./before-detect/vectors.js";
export { type GreyImage, toGrey } from "./image.js";
