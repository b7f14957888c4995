import { expect, test } from "vitest";
import { ChainNoise } from "../../../src/experiments/baselines/chain-noise.js";
import { uniform } from "../../lap/support.js";

test.each([
  [0, 0.1],
  [0.02, 0.1],
  [0.1, 0.02],
  [0.05, 0],
])("the noise of chains is found: q %f, r %f", (q, r) => {
  const random = uniform(5);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const estimate = new ChainNoise();
  let found = null;
  for (let sample = 0; sample < 40_000; sample++) {
    let [x, v] = [100 * random(), 3];
    const z = [0, 1, 2, 3].map(() => {
      const a = q * normal() * (random() < 0.02 ? 20 : 1);
      x += v + a / 2;
      v += a;
      return x + r * normal();
    });
    found = estimate.add(z[0], z[1], z[2], z[3]) ?? found;
  }
  expect(Math.abs((found?.q ?? 0) - q)).toBeLessThan(0.4 * r + 0.25 * q);
  expect(Math.abs((found?.r ?? 0) - r)).toBeLessThan(0.15 * r + 0.2 * q);
});
