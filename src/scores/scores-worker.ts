/** The work of a thread that scores beside others, by the name #scores-worker of package.json. */
export { scoreAside as default } from "./aside.js";
