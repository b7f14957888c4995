import type { Metric } from "../metric.js";
import { frameMatches } from "../nearest.js";

/**
 * OSPA with p = 2 (D. Schuhmacher, B.-T. Vo, B.-N. Vo, "A consistent metric for performance evaluation of multi-object filters", IEEE TSP 56(8), 2008):
 * ((Σ min(d, c)² + c² · difference of the numbers of points) / the larger number)^½ in units of the reach c, the mean over the frames; 0 in a frame without points.
 */
export const ospa: Metric = {
  label: "OSPA",
  title: "OSPA distance a frame",
  unit: "c",
  better: "less",
  of: (comparison) => {
    const frames = frameMatches(comparison).map(({ truth, answer, worth }) => {
      const larger = Math.max(truth, answer);
      return larger === 0 ? 0 : Math.sqrt(Math.max(0, larger - worth) / larger);
    });
    return frames.length === 0 ? null : frames.reduce((sum, value) => sum + value, 0) / frames.length;
  },
};
