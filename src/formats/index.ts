/** Files: detections, instance folders, scenarios. */
export { formatDetections, readDetections } from "./detections.js";
export { formatFlo, readFlo } from "./flo.js";
export { readInstanceFolder } from "./instance-folder.js";
export { readScenario, type Scenario } from "./scenario.js";
