import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["lab/test/**/*.test.{ts,mjs}"],
    // Programs on a software device, on a machine that may be busy.
    testTimeout: 120_000,
  },
});
