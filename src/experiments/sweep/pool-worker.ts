/** The child process of a pool: makes the rows of the tasks that its parent sends, and ends when the parent does. */
import { compileLess } from "../../core/compile-less.js";
import { DeviceError } from "../../gpu/device-error.js";
import type { FromWorker } from "./pool.js";
import { openTaskRunner, type RunSettings } from "./run-task.js";
import type { Task } from "./task.js";

compileLess();
const send = (message: FromWorker) => process.send?.(message);

// Ctrl-C in a terminal reaches the whole process group; the parent decides how to go on.
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit());

try {
  const runner = await openTaskRunner(JSON.parse(process.argv[2]) as RunSettings);
  process.on("message", (task: Task) => {
    runner.run(task).then((row) => send({ kind: "row", row }));
  });
  send({ kind: "ready" });
} catch (error) {
  if (!(error instanceof DeviceError)) throw error;
  send({ kind: "refused", message: error.message });
}
