import { defineConfig } from "vitest/config";

/** Tests of what only the lab runs; they need a build of the program. */
export default defineConfig({
  test: { include: ["test/**/*.test.mjs"], testTimeout: 60_000, hookTimeout: 60_000 },
});
