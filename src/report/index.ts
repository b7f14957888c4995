/** Pictures of tracks and of features. */
export { keypointsSvg, matchesSvg, motionSvg } from "./features-svg.js";
export { tracksSvg } from "./tracks-svg.js";
