/** The work of a thread of certifyOnThreads, by the name #certificate-worker of package.json. */
export { bindDuals as default } from "./duals.js";
