/** The linear assignment problem: solver and certificate. */
export { certifyLap } from "./certificate.js";
export { createLapSolution, denseLap } from "./dense.js";
export { createJvWorkspace, solveJv } from "./jv/jv.js";
export { type LapOutcome, type LapProblem, type LapSolution, UNASSIGNED } from "./lap.js";
