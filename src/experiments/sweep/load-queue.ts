import { needed } from "../../core/optional-package.js";

type Queue = typeof import("./queue.js") & typeof import("./queue-worker.js");

/**
 * Loads the code that uses a queue. Its packages, bullmq and ioredis, are not installed with rmap, since most users need no queue.
 * @throws InputError that says how to install them
 */
export async function loadQueue(
  load: () => Promise<Queue> = async () => ({
    ...(await import("./queue.js")),
    ...(await import("./queue-worker.js")),
  }),
): Promise<Queue> {
  return await needed("--queue", ["bullmq", "ioredis"], load);
}
