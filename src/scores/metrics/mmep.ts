import { linkCounts } from "../links.js";
import { type Metric, percentOf } from "../metric.js";

/**
 * Mismatch error percentage: 100 · true links between consecutive frames that are not found / such links (Kawtikwar & Nagi 2023 §IV). Where N targets are
 * seen in each of T frames and every detection is in a track through all frames this is 100 · wrong links / (N (T − 1)).
 */
export const mmep: Metric = {
  label: "MMEP",
  title: "true links between consecutive frames that are not found",
  unit: "%",
  better: "less",
  of: (comparison) => {
    const { consecutive, consecutiveMissed } = linkCounts(comparison);
    return percentOf(consecutiveMissed, consecutive);
  },
};
