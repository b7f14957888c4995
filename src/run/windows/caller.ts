import { openCaller } from "../../core/executor.js";
import type { Closing, DecidedWindow } from "./decided.js";
import type { InputFrame } from "./frames.js";
import { type ChoiceJob, runTask, type SeamTask, type WindowAnswer, type WindowTask } from "./job.js";
import type { FramesTask, PlacesTask, RecordingPlaces } from "./places.js";
import type { OverLinks } from "./stated-costs.js";

/** Does all that is to be done about windows, as many things at a time as it has threads; what is asked later may be answered earlier. */
export interface WindowCaller {
  readonly threads: number;
  /** Chooses links over missed detections. */
  choose(job: ChoiceJob): Promise<OverLinks>;
  solve(task: WindowTask): Promise<WindowAnswer>;
  join(task: SeamTask): Promise<number>;
  decide(closing: Closing): Promise<DecidedWindow>;
  findPlaces(task: PlacesTask): Promise<RecordingPlaces>;
  readStretch(task: FramesTask): Promise<InputFrame[]>;
  close(): Promise<void>;
}

/**
 * Threads of this machine.
 * @param pause awaited after each iteration where the calling thread is the only one; an error of it ends the search
 */
export function openWindows(threads: number, pause?: () => Promise<void>): WindowCaller {
  const { call, close } = openCaller("#window-worker", threads, (task: Parameters<typeof runTask>[0]) =>
    runTask(task, pause),
  );
  return {
    threads,
    choose: (job) => call(job) as Promise<OverLinks>,
    solve: (task) => call(task) as Promise<WindowAnswer>,
    join: (task) => call(task) as Promise<number>,
    decide: (closing) => call(closing) as Promise<DecidedWindow>,
    findPlaces: (task) => call(task) as Promise<RecordingPlaces>,
    readStretch: (task) => call(task) as Promise<InputFrame[]>,
    close,
  };
}
