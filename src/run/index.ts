/** From an input to a result, as the command line does it. */
export { makeProblem } from "./problem.js";
export { runProblem } from "./run.js";
