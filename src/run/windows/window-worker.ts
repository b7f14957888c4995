/** What a worker thread of the windows runs, by the name #window-worker of package.json. */
import { runTask } from "./job.js";

export default runTask;
