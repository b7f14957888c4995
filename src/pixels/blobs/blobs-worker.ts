/** What a worker thread of blobsOnThreads runs, by the name #blobs-worker of package.json. */
export { findInTask as default } from "./blobs.js";
