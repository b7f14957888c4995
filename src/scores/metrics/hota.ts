import { higherOrder } from "../higher-order.js";
import type { Metric } from "../metric.js";

/** HOTA in percent (Luiten et al. 2021), as higherOrder says. */
export const hota: Metric = {
  label: "HOTA",
  title: "higher order tracking accuracy",
  unit: "%",
  better: "more",
  of: (comparison) => (comparison.truth.frame.length === 0 ? null : 100 * higherOrder(comparison).hota),
};
