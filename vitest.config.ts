import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Worker threads and child processes on a busy machine; the tests that promise a time measure it themselves.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    // All cores; by itself vitest leaves one idle, which is half of the machine that continuous integration has.
    maxWorkers: availableParallelism(),
    // Test files run side by side already; concurrent tests within one start a process each.
    maxConcurrency: 4,
    // The built program, which some tests run inside their process, is loaded by Node itself and not compiled once more.
    server: { deps: { external: [/\/dist\/cli\/program\.js$/] } },
  },
});
