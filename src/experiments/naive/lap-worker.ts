/** Program of a worker thread of LapPool, by the name #lap-worker of package.json. */
import { workerData } from "piscina";
import { type LapMemory, lapSolver } from "./lap-tasks.js";

export default lapSolver(workerData as LapMemory);
