import { expect, test } from "vitest";
import { PROCESS_BYTES } from "../../dist/run/memory.js";
import { SECONDS } from "../../dist/run/speed.js";
import { fitted } from "../scale/fit.mjs";

test("--device auto chooses by what was fitted to the rows, and the memory that is expected was fitted likewise", () => {
  const { seconds, bytes, judged } = fitted();
  expect(SECONDS).toEqual(seconds);
  expect(PROCESS_BYTES).toEqual(bytes);
  const [chosen, best, cpu, gpu] = ["chosen", "best", "cpu", "gpu"].map((name) =>
    Number(new RegExp(`${name} ([\\d.]+)`).exec(judged[0])?.[1]),
  );
  expect(best).toBeLessThanOrEqual(chosen);
  expect(chosen).toBeLessThan(Math.min(cpu, gpu));
});
