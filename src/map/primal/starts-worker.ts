/** What a worker thread of createStarts runs, by the name #starts-worker of package.json. */
import { workerData } from "piscina";
import { bindStarts, type StartsMemory } from "./starts.js";

export default bindStarts(workerData as StartsMemory);
