import { higherOrder } from "../higher-order.js";
import type { Metric } from "../metric.js";

/** AssA in percent (Luiten et al. 2021), as higherOrder says. */
export const assA: Metric = {
  label: "AssA",
  title: "association accuracy",
  unit: "%",
  better: "more",
  of: (comparison) => (comparison.truth.frame.length === 0 ? null : 100 * higherOrder(comparison).assA),
};
