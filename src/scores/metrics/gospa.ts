import type { Metric } from "../metric.js";
import { frameMatches } from "../nearest.js";

/**
 * Generalised OSPA with p = 2 and α = 2 (A. S. Rahmathullah, Á. F. García-Fernández, L. Svensson, "Generalized optimal sub-pattern assignment metric", FUSION 2017):
 * (Σ d² over matched points + c²/2 for each point missed or false)^½ in units of the reach c, the mean over the frames.
 */
export const gospa: Metric = {
  label: "GOSPA",
  title: "generalised OSPA distance a frame",
  unit: "c",
  better: "less",
  of: (comparison) => {
    const frames = frameMatches(comparison).map(({ truth, answer, matched, worth }) =>
      Math.sqrt(matched - worth + (truth + answer - 2 * matched) / 2),
    );
    return frames.length === 0 ? null : frames.reduce((sum, value) => sum + value, 0) / frames.length;
  },
};
