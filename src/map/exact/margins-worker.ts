/** The work of a thread of marginsOnThreads, by the name #margins-worker of package.json. */
export { bindLevels as default } from "./margins-by-level.js";
