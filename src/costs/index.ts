/** From detections to a priced problem. */
export {
  type PricedDetections,
  type PricingOptions,
  type PricingParameters,
  priceDetections,
} from "./price-detections.js";
