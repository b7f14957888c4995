import { higherOrder } from "../higher-order.js";
import type { Metric } from "../metric.js";

/** DetA in percent (Luiten et al. 2021), as higherOrder says. */
export const detA: Metric = {
  label: "DetA",
  title: "detection accuracy",
  unit: "%",
  better: "more",
  of: (comparison) => (comparison.truth.frame.length === 0 ? null : 100 * higherOrder(comparison).detA),
};
