/** The work of a thread of LapPool, by the name #lap-worker of package.json. */
export { lapSolver as default } from "./lap-tasks.js";
