import { expect, test } from "vitest";
import { warmUp } from "../../src/run/warm-up.js";
import { Exact } from "../../src/track/exact.js";
import type { GatedFrame } from "../../src/track/gate.js";

test("made-up frames have what real ones have: misses, newcomers, and candidates that compete", async () => {
  const exact = new Exact();
  const seen = { frames: 0, contested: 0, alone: 0, left: 0 };
  const counting = Object.assign(Object.create(exact), {
    associate: (frame: GatedFrame) => {
      const answer = exact.associate(frame);
      seen.frames++;
      const taken = new Uint8Array(frame.measurements);
      for (const j of answer.measurementOfTrack) {
        if (j < 0) seen.alone++;
        else taken[j] = 1;
      }
      seen.left += taken.filter((one) => one === 0).length;
      if (frame.utility.length > taken.filter((one) => one === 1).length) seen.contested++;
      return answer;
    },
  });
  expect(await warmUp(counting)).toBeLessThanOrEqual(seen.frames);
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
});
