import { inOrder } from "../../core/in-order.js";
import { openInputStream } from "../../files/input-stream.js";
import { type DetectionStream, streamDetections } from "../../formats/detection-stream.js";
import { FramesInOrder } from "../../formats/frames-in-order.js";
import type { WindowCaller } from "../../run/windows/caller.js";
import type { InputFrame } from "../../run/windows/frames.js";
import type { Beginning, WindowJobs } from "../../run/windows/jobs.js";
import { type FramesTask, type RecordingPlaces, stretchesOf, untilEnough } from "../../run/windows/places.js";
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

/** The frames of a recording that was looked through before, read by all threads; its header first. */
export async function* readSurveyed(
  input: string,
  pieces: AsyncIterable<Buffer>,
  survey: Survey,
  rows: DetectionStream,
  caller: WindowCaller,
): AsyncGenerator<[FramesTask, InputFrame[]]> {
  let isRead = false;
  const onStart: DetectionStream["onStart"] = (...read) => {
    isRead = true;
    rows.onStart(...read);
  };
  await untilEnough((enough) => {
    const onPause = () => {
      if (isRead) throw enough;
    };
    return streamDetections(input, pieces, { ...rows, onStart, onRow: () => {}, onPause });
  });
  const { asked = {}, velocities = false } = rows;
  const stretches = stretchesOf(survey, { recording: input, asked, velocities });
  yield* inOrder(stretches, caller.threads, (stretch) => caller.readStretch(stretch));
}

/** Reads as many frames as the costs are learned from. */
async function learnFromBeginning(
  input: string,
  reading: Pick<DetectionStream, "asked" | "velocities" | "space">,
  jobsOf: (timeStep: number) => WindowJobs,
  interrupted: () => boolean,
): Promise<Pick<Survey, "beginning" | "timeStep">> {
  const ordered = new FramesInOrder(input);
  let [timeStep, jobs] = [1, jobsOf(1)];
  await untilEnough(async (enough) => {
    const learn = async () => {
      if (interrupted()) throw new Error("interrupted");
      for (const frame of ordered.taken()) {
        jobs.store.add(frame);
        if (await jobs.learn()) throw enough;
      }
    };
    await streamDetections(input, openInputStream(input), {
      ...reading,
      onStart: (metadata, _, __, ___, hasDepths) => {
        ordered.begin(metadata, hasDepths);
        timeStep = metadata.timeStep ?? 1;
        jobs = jobsOf(timeStep);
      },
      onRow: (row) => ordered.add(row),
      onPause: learn,
    });
    ordered.end();
    await learn();
    jobs.end();
    await jobs.learn();
  });
  return { beginning: jobs.beginning, timeStep };
}
