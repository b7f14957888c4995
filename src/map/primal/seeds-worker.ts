/** The work of a thread of createSeeds, by the name #seeds-worker of package.json. */
export { bindSeeds as default } from "./seeds.js";
