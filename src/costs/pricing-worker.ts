/** What a worker thread of priceDetections runs, by the name #pricing-worker of package.json. */
export { price as default } from "./price.js";
