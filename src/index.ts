/** The library. Data flows one way: detections → priced problem → instance → solution → result. */
export type { Detections } from "./core/detections.js";
export { InputError, InvariantError } from "./core/errors.js";
export type { Frame } from "./core/frame.js";
export type { Noise } from "./core/noise.js";
export {
  type PricedDetections,
  type PricingOptions,
  type PricingParameters,
  priceDetections,
} from "./costs/price-detections.js";
export { readFrame, readFrames } from "./files/images/frames.js";
export { formatDetections, readDetections } from "./formats/detections.js";
export { readInstanceFolder } from "./formats/instance-folder.js";
export { readScenario, type Scenario } from "./formats/scenario.js";
export { certifyLap } from "./lap/certificate.js";
export { createJvWorkspace, solveJv } from "./lap/jv/jv.js";
export { type LapOutcome, type LapProblem, type LapSolution, UNASSIGNED } from "./lap/lap.js";
export { certifyBound, priceTracks } from "./map/certificate/certificate.js";
export { ASCENTS, type AscentName, DEFAULT_ASCENT } from "./map/dual/ascents.js";
export { createCpuSteps } from "./map/dual/cpu-steps.js";
export type { AscentSteps } from "./map/dual/steps.js";
export { buildInstance } from "./map/instance/build.js";
export type { Instance, Triplets } from "./map/instance/instance.js";
export type { BirthDeathCosts, PricedLinks, PricedProblem, PricedTriplets } from "./map/instance/priced.js";
export { numberTracks } from "./map/primal/tracks.js";
export { type Solution, type SolveOptions, solve } from "./map/solve.js";
export { type GreyImage, toGrey } from "./pixels/image.js";
export { tracksSvg } from "./report/tracks-svg.js";
export { type ResultRow, readRows } from "./rows/results.js";
export { makeProblem } from "./run/problem.js";
export { runProblem } from "./run/run.js";
export { type Comparison, compareLabels, comparePositions } from "./scores/comparison.js";
export { linkErrors } from "./scores/links.js";
export type { Metric } from "./scores/metric.js";
export { METRICS, type MetricName, type Scores, scoreTracks } from "./scores/metrics.js";
export { SIMULATION_DEFAULTS, type SimulationParameters, simulate } from "./simulation/trajectories.js";
