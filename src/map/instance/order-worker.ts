/** The work of a thread of buildOnThreads, by the name #order-worker of package.json. */
export { bindOrder as default } from "./implicit-triplets.js";
