import { openCaller } from "../../core/executor.js";
import type { OverLinks } from "../../costs/motion/stated-costs.js";
import type { Found } from "../../map/window/piece.js";
import { type ChoiceJob, runTask, type WindowAnswer, type WindowJob, type WindowTask } from "./job.js";

/** Prices and solves windows; a call that is made later may be answered earlier. */
export interface WindowCaller {
  readonly ahead: number;
  /** Chooses links over missed detections: on this machine always, since the certificate is about the problem that they make. */
  choose(job: ChoiceJob): Promise<OverLinks>;
  /** @param known solution that was found before, which is checked and used */
  call(job: WindowJob, known?: Found | null): Promise<WindowAnswer>;
  close(): Promise<void>;
}

/**
 * Windows solved on threads of this machine.
 * @param pause awaited after each iteration where the calling thread is the only one; an error of it ends the window
 */
export function solveHere(threads: number, pause?: () => Promise<void>): WindowCaller {
  const { call, ...rest } = localCaller(threads, pause);
  return { ahead: threads, call: (job, found = null) => call({ job, found }), ...rest };
}

/** Tasks done on threads of this machine. */
export function localCaller(threads: number, pause?: () => Promise<void>) {
  const { call, close } = openCaller("#window-worker", threads, (task: WindowTask | ChoiceJob) => runTask(task, pause));
  return {
    call: (task: WindowTask) => call(task) as Promise<WindowAnswer>,
    choose: (job: ChoiceJob) => call(job) as Promise<OverLinks>,
    close,
  };
}
