/** The work of a thread of simulateOnThreads, by the name #walks-worker of package.json. */
export { bindWalks as default } from "./trajectories.js";
