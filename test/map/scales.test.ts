import { expect, test } from "vitest";
import { attack } from "../../truth/attack.js";

/** The full run of 10⁵ is bench/truth/scales.ts; docs/truth.md has what it came to. */
test("nothing is false in exact arithmetic on problems of every scale", async () => {
  const until = performance.now() / 1000 + 30;
  const { instances, violations, missed, statuses, capped } = await attack(1, 3000, until);
  expect(violations).toEqual([]);
  expect(missed, "unsolved although there are tracks").toBe(0);
  expect(instances).toBeGreaterThan(300);
  // Each way to end is among them.
  for (const status of ["optimal", "gap", "stalled", "stopped", "refused"]) expect(statuses[status]).toBeGreaterThan(0);
  expect(capped).toBeGreaterThan(instances / 20);
});
