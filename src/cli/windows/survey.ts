import type { FrameNumbers } from "../../core/frame-numbers.js";
import type { RowPlace } from "../../files/csv-stream.js";
import { openInputStream } from "../../files/input-stream.js";
import { streamDetections } from "../../formats/detection-stream.js";
import { FramesInOrder } from "../../formats/frames-in-order.js";
import type { Beginning, WindowJobs } from "../../run/windows/jobs.js";
import type { WindowFlags } from "./refusals.js";

/** A row at which the reading of a recording can begin. */
export interface SurveyedPlace extends RowPlace {
  /** That of the row before. */
  readonly frame: number;
  /** Detections of the recording before it. */
  readonly held: number;
}

/** What the shards of a run have in common: the program, the options that they depend on, and a digest of the input's bytes. */
export interface MadeBy {
  readonly software: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly content: string;
}

/** What the shards of a recording have to know of the rest of it. Plain data. */
export interface Survey {
  readonly made: MadeBy;
  readonly beginning: Beginning;
  readonly timeStep: number;
  readonly frames: number;
  readonly numbers: FrameNumbers;
  /** In order; none where rows can be read only one after another. */
  readonly places: readonly SurveyedPlace[];
}

/** Reads a recording once, and learns its costs. */
export async function surveyRecording(
  input: string,
  flags: WindowFlags,
  jobsOf: (timeStep: number) => WindowJobs,
  interrupted: () => boolean,
): Promise<Omit<Survey, "made">> {
  const inOrder = new FramesInOrder(input);
  const places: SurveyedPlace[] = [];
  let jobs = jobsOf(1);
  let [timeStep, frames, held] = [1, 0, 0];
  const learn = async () => {
    if (interrupted()) throw new Error("interrupted");
    for (const frame of inOrder.taken()) {
      frames++;
      if (jobs.plan !== null) continue;
      jobs.store.add(frame);
      await jobs.learn();
    }
  };
  await streamDetections(input, openInputStream(input), {
    asked: flags,
    velocities: flags.estimateVelocities !== true,
    space: true,
    onStart: (metadata, _, __, ___, hasDepths) => {
      inOrder.begin(metadata, hasDepths);
      timeStep = metadata.timeStep ?? 1;
      jobs = jobsOf(timeStep);
    },
    onRow: (row) => {
      inOrder.add(row);
      held++;
    },
    onPause: async (place) => {
      await learn();
      if (place !== null && held > 0) places.push({ ...place, frame: inOrder.frame, held });
    },
  });
  inOrder.end();
  await learn();
  if (jobs.plan === null) {
    jobs.end();
    await jobs.learn();
  }
  return { beginning: jobs.beginning, timeStep, frames, numbers: inOrder.numbers, places };
}
