/** Pictures of tracks. */
export { tracksSvg } from "./tracks-svg.js";
