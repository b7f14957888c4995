import { expect, test } from "vitest";
import { SECONDS } from "../../dist/run/speed.js";
import { fitted } from "../scale/fit.mjs";

test("--device auto chooses by what was fitted to the rows", () => {
  const { seconds, judged } = fitted();
  expect(SECONDS).toEqual(seconds);
  const [chosen, best, cpu, gpu] = ["chosen", "best", "cpu", "gpu"].map((name) =>
    Number(new RegExp(`${name} ([\\d.]+)`).exec(judged)?.[1]),
  );
  expect(best).toBeLessThanOrEqual(chosen);
  expect(chosen).toBeLessThan(Math.min(cpu, gpu));
});
