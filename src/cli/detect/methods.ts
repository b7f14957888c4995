import type { Method } from "../declaration/declaration.js";
import { beforeDetectMethod } from "./before-detect/method.js";
import { blobsMethod } from "./blobs.js";
import { cannyMethod } from "./canny.js";
import { harrisMethod, kltMethod } from "./corners.js";
import { dogMethod, logMethod, sobelMethod } from "./edge-images.js";
import { openvidiaMethod } from "./openvidia.js";
import { siftMethod } from "./sift.js";

/** The methods of `rmap detect`, by the name --method takes. */
export const DETECT_METHODS: Readonly<Record<string, Method>> = {
  blobs: blobsMethod,
  sift: siftMethod,
  openvidia: openvidiaMethod,
  harris: harrisMethod,
  klt: kltMethod,
  canny: cannyMethod,
  sobel: sobelMethod,
  log: logMethod,
  dog: dogMethod,
  "before-detect": beforeDetectMethod,
};
