import { identityCounts } from "../identity.js";
import { type Metric, percentOf } from "../metric.js";

/** 100 · 2 IDTP / (true points + points of the tracks) (Ristani et al. 2016). */
export const idf1: Metric = {
  label: "IDF1",
  title: "points on the one track of their target, F1 score",
  unit: "%",
  better: "more",
  of: (comparison) => {
    const { found, truth, answer } = identityCounts(comparison);
    return percentOf(2 * found, truth + answer);
  },
};
