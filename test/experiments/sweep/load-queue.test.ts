import { expect, test } from "vitest";
import { InputError } from "../../../src/core/errors.js";
import { loadQueue } from "../../../src/experiments/sweep/load-queue.js";

test("a queue without its packages says which to install, in one line", async () => {
  const missing = Object.assign(new Error("Cannot find package 'bullmq'"), { code: "ERR_MODULE_NOT_FOUND" });
  await expect(loadQueue(() => Promise.reject(missing))).rejects.toThrow(
    new InputError("--queue: needs packages that are not installed; run npm install bullmq ioredis"),
  );
  const other = new Error("another");
  await expect(loadQueue(() => Promise.reject(other))).rejects.toBe(other);
});
