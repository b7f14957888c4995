import type { Metric } from "../metric.js";

/** Tracks of a single detection. */
export const singles: Metric = {
  label: "singles",
  title: "tracks of one detection",
  unit: "",
  better: null,
  of: (comparison) => comparison.singles,
};
