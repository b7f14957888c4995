/** From an input to a result, as the command line does it. */
export type { Correction } from "../core/fixed-links.js";
export { CALIBRATION, type CalibrationRow } from "./corrections/calibration.js";
export { type Corrected, Corrections } from "./corrections/corrections.js";
export { type Backend, type BackendOptions, openBackend } from "./device.js";
export { makeProblem } from "./problem.js";
export { runProblem } from "./run.js";
