/** What a worker thread of scoreDetections runs, by the name #scoring-worker of package.json. */
export { price as default } from "./price.js";
