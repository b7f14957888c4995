import { loadModel } from "./model-source.js";
import { type PricingTask, price } from "./price.js";

/** The work of a thread of priceDetections, by the name #pricing-worker of package.json. */
export default async (task: PricingTask): Promise<void> => price(task, await loadModel(task.cost));
