import type { RegionThreads } from "../map/exact/beyond-options.js";

/** Worker threads for regions, which begin where there are any. */
export const regionThreads = (threads: number): RegionThreads => ({
  threads,
  caller: async (work) => (await import("../core/executor.js")).openCaller("#regions-worker", threads, work),
});
