/** What a worker thread of simulateAuthorsGenerator runs, by the name #authors-worker of package.json. */
export { drawTriplets as default } from "./authors-generator.js";
