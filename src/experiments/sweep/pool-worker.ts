/** The child process of a pool: makes the rows of the tasks, and solves the windows, that its parent sends, and ends when the parent does. */
import { DeviceError } from "../../gpu/device-error.js";
import { findInWindow } from "../../run/windows/job.js";
import { textOfFound, windowOfText } from "../../run/windows/message.js";
import type { FromWorker, ToWorker } from "./pool.js";
import { messageOf, openTaskRunner, type RunSettings } from "./run-task.js";

const send = (message: FromWorker) => process.send?.(message);

// Ctrl-C in a terminal reaches the whole process group; the parent decides how to go on.
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit());

/** Windows are solved on the CPU, whatever device runs have. */
async function solveWindow(window: string): Promise<string> {
  return textOfFound(await findInWindow(windowOfText(window)));
}

try {
  const runner = await openTaskRunner(JSON.parse(process.argv[2]) as RunSettings);
  process.on("message", (question: ToWorker) => {
    if ("task" in question) runner.run(question.task).then((row) => send({ kind: "row", row }));
    else
      solveWindow(question.window).then(
        (found) => send({ kind: "found", found }),
        (error) => send({ kind: "failed", error: messageOf(error) }),
      );
  });
  send({ kind: "ready" });
} catch (error) {
  if (!(error instanceof DeviceError)) throw error;
  send({ kind: "refused", message: error.message });
}
