/** Errors of tracks against true identities. */
export { type Comparison, compareLabels, comparePositions } from "./comparison.js";
export { type FlowScores, scoreFlow } from "./flow.js";
export { type FoundScores, scoreDetections } from "./found-targets.js";
export { type LineageScores, scoreLineages } from "./lineages.js";
export { type LinkCounts, type LinkErrors, linkCounts, linkErrors } from "./links.js";
export type { Metric } from "./metric.js";
export { METRICS, type MetricName, type Scores, scoreTracks } from "./metrics.js";
