/** From detections to a priced problem. */
export type { BoundCost, Calibration, CostModel, MovingDetections } from "./cost.js";
export type { CostParameter } from "./parameters.js";
export {
  type PricedDetections,
  type PricingOptions,
  type PricingParameters,
  priceDetections,
} from "./price-detections.js";
export { fitVelocityLaw, type Path, type VelocityLaw } from "./smoothing/law.js";
export { type SmoothPath, smoothPath } from "./smoothing/smooth.js";
