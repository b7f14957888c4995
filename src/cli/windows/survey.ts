import { openInputStream } from "../../files/input-stream.js";
import { type DetectionStream, streamDetections } from "../../formats/detection-stream.js";
import { FramesInOrder } from "../../formats/frames-in-order.js";
import type { WindowCaller } from "../../run/windows/caller.js";
import type { Beginning, WindowJobs } from "../../run/windows/jobs.js";
import type { RecordingPlaces } from "../../run/windows/places.js";
import type { WindowFlags } from "./refusals.js";

/** What the shards of a run have in common: the program, the options that they depend on, and a digest of the input's bytes. */
export interface MadeBy {
  readonly software: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly content: string;
}

/** What the shards of a recording have to know of the rest of it. Plain data. */
export interface Survey extends RecordingPlaces {
  readonly made: MadeBy;
  readonly beginning: Beginning;
  readonly timeStep: number;
}

/** Reads a recording once on another thread, and meanwhile learns its costs. */
export async function surveyRecording(
  input: string,
  flags: WindowFlags,
  caller: WindowCaller,
  jobsOf: (timeStep: number) => WindowJobs,
  interrupted: () => boolean,
): Promise<Omit<Survey, "made">> {
  const velocities = flags.estimateVelocities !== true;
  const [places, learned] = await Promise.all([
    caller.findPlaces({ recording: input, asked: flags, velocities }),
    learnFromBeginning(input, { asked: flags, velocities, space: true }, jobsOf, interrupted),
  ]);
  return { ...places, ...learned };
}

/** Reads as many frames as the costs are learned from. */
async function learnFromBeginning(
  input: string,
  reading: Pick<DetectionStream, "asked" | "velocities" | "space">,
  jobsOf: (timeStep: number) => WindowJobs,
  interrupted: () => boolean,
): Promise<Pick<Survey, "beginning" | "timeStep">> {
  const inOrder = new FramesInOrder(input);
  const enough = new Error("no row that comes later is learned from");
  let [timeStep, jobs] = [1, jobsOf(1)];
  const learn = async () => {
    if (interrupted()) throw new Error("interrupted");
    for (const frame of inOrder.taken()) {
      jobs.store.add(frame);
      if (await jobs.learn()) throw enough;
    }
  };
  try {
    await streamDetections(input, openInputStream(input), {
      ...reading,
      onStart: (metadata, _, __, ___, hasDepths) => {
        inOrder.begin(metadata, hasDepths);
        timeStep = metadata.timeStep ?? 1;
        jobs = jobsOf(timeStep);
      },
      onRow: (row) => inOrder.add(row),
      onPause: learn,
    });
    inOrder.end();
    await learn();
    jobs.end();
    await jobs.learn();
  } catch (error) {
    if (error !== enough) throw error;
  }
  return { beginning: jobs.beginning, timeStep };
}
