/** Images on their way to detections. */
export { type GreyImage, toGrey } from "./image.js";
