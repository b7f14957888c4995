import { loadModel } from "./model-source.js";
import { type PricingTask, price } from "./price.js";

/** What a worker thread of priceDetections runs, by the name #pricing-worker of package.json. */
export default async (task: PricingTask): Promise<void> => price(task, await loadModel(task.cost));
