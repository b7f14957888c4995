import { loadModel } from "./model-source.js";
import { type PricingPass, price } from "./price.js";

/** The work of a thread of priceDetections, by the name #pricing-worker of package.json. */
export default async (pass: PricingPass) => price(pass, await loadModel(pass.cost, pass.detections));
