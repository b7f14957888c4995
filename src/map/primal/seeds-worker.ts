/** Program of a worker thread of createSeeds, by the name #seeds-worker of package.json. */
import { workerData } from "piscina";
import { bindSeeds, type SeedsMemory } from "./seeds.js";

export default bindSeeds(workerData as SeedsMemory);
