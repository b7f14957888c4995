/** The entry of dist/browser/rmap.js: what src/browser declares. */
export * from "../dist/browser/index.js";
export { placeFile } from "./platform/fs.js";
