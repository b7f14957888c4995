import { type Caller, openCaller } from "../../core/executor.js";
import type { Plane } from "../image.js";
import { type BlobsFound, detectBlobs } from "./detect-blobs.js";
import type { BlobOptions } from "./options.js";

export interface BlobTask {
  readonly image: Plane;
  readonly options: BlobOptions;
}

/** Pixels of all images so far from which on threads are started: 0.5 s of work, five times what the start of two takes. */
const POOL_FROM = 2 ** 20;

export const findInTask = ({ image, options }: BlobTask) => detectBlobs(image, options, { device: null });

/** Spots of images on the CPU, one image a thread: the same on any number of them. */
export function blobsOnThreads(threads: number, poolFrom = POOL_FROM) {
  let caller: Caller<BlobTask, BlobsFound> | null = null;
  let pixels = 0;
  return {
    find(task: BlobTask): Promise<BlobsFound> {
      pixels += task.image.width * task.image.height;
      if (pixels < poolFrom) return findInTask(task);
      caller ??= openCaller("#blobs-worker", threads, findInTask);
      return caller.call(task);
    },
    close: async () => await caller?.close(),
  };
}
