/** Images on their way to detections, and the motion between them. */

export { createCpuTbd } from "./before-detect/cpu.js";
export { detectBeforeTracking, type OutputFrame } from "./before-detect/detect.js";
export { noiseOfState } from "./before-detect/noise.js";
export { BEFORE_DETECT_DEFAULTS, type BeforeDetectOptions } from "./before-detect/options.js";
export { type MotionVector, motionVectors } from "./before-detect/vectors.js";
export { type Blob, type BlobsFound, detectBlobs } from "./blobs/blobs.js";
export { BLOB_DEFAULTS, type BlobOptions } from "./blobs/options.js";
export { detectCanny } from "./features/canny.js";
export {
  type CornerOptions,
  type Corners,
  detectCorners,
  HARRIS_DEFAULTS,
  KLT_SELECTION_DEFAULTS,
} from "./features/corners.js";
export { makeEdgeImage } from "./features/edge-images.js";
export {
  type FoundHomography,
  findHomography,
  RANSAC_DEFAULTS,
  type RansacOptions,
} from "./features/homography/ransac.js";
export { trackKlt } from "./features/klt.js";
export { KLT_DEFAULTS, KLT_LEVELS, KLT_STATUS, type KltTracks } from "./features/klt-options.js";
export { type LinkedFeatures, linkFeatures } from "./features/link/link-features.js";
export { GpuMatch, matchDescriptors } from "./features/match.js";
export { detectOpenvidia, OPENVIDIA_DEFAULTS, type OpenvidiaOptions } from "./features/openvidia/openvidia.js";
export { detectSift, GpuSift } from "./features/sift/gpu-sift.js";
export { SIFT_DEFAULTS, type SiftOptions } from "./features/sift/sift.js";
export { sampleFlow } from "./flow/at-detections.js";
export { type CpuFlowOptions, createCpuFlow } from "./flow/cpu-flow.js";
export { computeFlow, computeFlows, type FlowResult, type FlowSteps, type ImagePair } from "./flow/flow.js";
export { createGpuFlow, type GpuFlowOptions } from "./flow/gpu/gpu-flow.js";
export type { FlowScheme } from "./flow/gpu/scheme.js";
export { type TiledChoice, tiled } from "./flow/gpu/tiled.js";
export { FLOW_PRESETS, type FlowOptions, type FlowPrecision } from "./flow/options.js";
export { createSimdFlow, type SimdFlowOptions } from "./flow/simd-flow.js";
export { type GreyImage, type Plane, toGrey, toPlane } from "./image.js";
