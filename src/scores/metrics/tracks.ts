import { onceEach } from "../comparison.js";
import type { Metric } from "../metric.js";

const lengths = onceEach(({ answer }) => {
  const counts = new Uint32Array(answer.identities);
  for (let k = 0; k < answer.identity.length; k++) counts[answer.identity[k]]++;
  return counts;
});

/** Tracks of three or more detections: those long enough for a triplet cost to have judged them. */
export const tracks: Metric = {
  label: "tracks",
  title: "tracks of three or more detections",
  unit: "",
  better: null,
  of: (comparison) => lengths(comparison).filter((length) => length >= 3).length,
};
