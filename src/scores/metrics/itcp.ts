import { linkCounts } from "../links.js";
import { type Metric, percentOf } from "../metric.js";

/** Incorrect trajectory count percentage: 100 · targets that lost a link between consecutive frames / targets with such a link (Kawtikwar & Nagi 2023 §IV). */
export const itcp: Metric = {
  label: "ITCP",
  title: "targets with a true link not found",
  unit: "%",
  better: "less",
  of: (comparison) => {
    const { targets, brokenTargets } = linkCounts(comparison);
    return percentOf(brokenTargets, targets);
  },
};
