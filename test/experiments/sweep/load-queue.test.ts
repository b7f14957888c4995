import { expect, test } from "vitest";
import { InputError } from "../../../src/core/errors.js";
import { loadQueue } from "../../../src/experiments/sweep/load-queue.js";

test("a queue without its packages says which to install, in one line", async () => {
  const missing = Object.assign(new Error("Cannot find package 'bullmq' imported from /queue.js"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  await expect(loadQueue(() => Promise.reject(missing))).rejects.toThrow(
    new InputError(
      '--queue needs the packages bullmq and ioredis, which are not installed; run "npm install bullmq ioredis"',
    ),
  );
  // A module of another name is a defect, and nothing that the user could install.
  const other = Object.assign(new Error("Cannot find module '/dist/gone.js'"), { code: "ERR_MODULE_NOT_FOUND" });
  await expect(loadQueue(() => Promise.reject(other))).rejects.toBe(other);
});
