import type { FrameNumbers } from "../../core/frame-numbers.js";
import type { RowPlace } from "../../files/csv-stream.js";
import { openInputStream } from "../../files/input-stream.js";
import { streamDetections } from "../../formats/detection-stream.js";
import { FramesInOrder } from "../../formats/frames-in-order.js";
import type { ReadingOptions } from "../../formats/reading-options.js";

/** A row at which the reading of a recording can begin. */
export interface SurveyedPlace extends RowPlace {
  /** That of the row before. */
  readonly frame: number;
  /** Detections of the recording before it. */
  readonly held: number;
}

/** A recording to look through. */
export interface PlacesTask {
  readonly recording: string;
  readonly asked: ReadingOptions;
  readonly velocities: boolean;
}

/** How a recording lies in its file. Plain data. */
export interface RecordingPlaces {
  readonly frames: number;
  readonly numbers: FrameNumbers;
  /** In order; none where rows can be read only one after another. */
  readonly places: readonly SurveyedPlace[];
}

/** Reads a recording once. */
export async function findPlaces({ recording, asked, velocities }: PlacesTask): Promise<RecordingPlaces> {
  const inOrder = new FramesInOrder(recording);
  const places: SurveyedPlace[] = [];
  let [frames, held] = [0, 0];
  await streamDetections(recording, openInputStream(recording), {
    ...{ asked, velocities, space: true },
    onStart: (metadata, _, __, ___, hasDepths) => inOrder.begin(metadata, hasDepths),
    onRow: (row) => {
      inOrder.add(row);
      held++;
    },
    onPause: (place) => {
      frames += inOrder.taken().length;
      if (place !== null && held > 0) places.push({ ...place, frame: inOrder.frame, held });
    },
  });
  inOrder.end();
  return { frames: frames + inOrder.taken().length, numbers: inOrder.numbers, places };
}
