/** The work of a thread of simulateAuthorsGenerator, by the name #authors-worker of package.json. */
export { drawTriplets as default } from "./authors-generator.js";
