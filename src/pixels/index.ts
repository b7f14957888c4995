/** Images on their way to detections, and the motion between them. */

export { createCpuTbd } from "./before-detect/cpu.js";
export { detectBeforeTracking, type OutputFrame } from "./before-detect/detect.js";
export { noiseOfState } from "./before-detect/noise.js";
export { BEFORE_DETECT_DEFAULTS, type BeforeDetectOptions } from "./before-detect/options.js";
export { type MotionVector, motionVectors } from "./before-detect/vectors.js";
export { detectCanny } from "./features/canny.js";
export { type CornerOptions, type Corners, HARRIS_DEFAULTS, KLT_SELECTION_DEFAULTS } from "./features/corners.js";
export { detectCorners } from "./features/detect-corners.js";
export { findHomography } from "./features/homography/find.js";
export { type FoundHomography, RANSAC_DEFAULTS, type RansacOptions } from "./features/homography/ransac.js";
export { KLT_DEFAULTS, KLT_LEVELS, KLT_STATUS, type KltTracks } from "./features/klt-track.js";
export { type LinkedFeatures, linkFeatures } from "./features/link/link-features.js";
export { makeEdgeImage } from "./features/make-edge-image.js";
export { matchDescriptors } from "./features/match-descriptors.js";
export { detectOpenvidia } from "./features/openvidia/detect.js";
export { OPENVIDIA_DEFAULTS, type OpenvidiaOptions } from "./features/openvidia/openvidia.js";
export { detectSift } from "./features/sift/detect.js";
export { SIFT_DEFAULTS, type SiftOptions } from "./features/sift/sift.js";
export { trackKlt } from "./features/track-klt.js";
export { sampleFlow } from "./flow/at-detections.js";
export { type CpuFlowOptions, createCpuFlow } from "./flow/cpu-flow.js";
export { computeFlow, computeFlows, type FlowResult } from "./flow/flow.js";
export { createGpuFlow, type GpuFlowOptions } from "./flow/gpu/gpu-flow.js";
export { FLOW_PRESETS, type FlowOptions, type FlowPrecision, type FlowScheme } from "./flow/options.js";
export type { FlowSteps, ImagePair } from "./flow/steps.js";
export { type GreyImage, toGrey } from "./image.js";
