import type { FrameNumbers } from "../../core/frame-numbers.js";
import type { RowPlace } from "../../files/csv-stream.js";
import { openInputStream } from "../../files/input-stream.js";
import { type DetectionStream, streamDetections } from "../../formats/detection-stream.js";
import { FramesInOrder } from "../../formats/frames-in-order.js";
import type { Reading } from "../../formats/reading.js";
import type { ReadingOptions } from "../../formats/reading-options.js";
import { RowWarnings } from "../../formats/row-warnings.js";
import type { InputFrame } from "./frames.js";

/** Places to a stretch that a thread reads at a time: a megabyte. */
const PLACES_OF_STRETCH = 16;

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
  /** What was understood, whether the last row has its line end, and what is to be warned of. */
  readonly reading: Reading | null;
  readonly complete: boolean;
  readonly warnings: readonly string[];
}

/** Frames from a place on, those of its row left out, to `last`; null for the recording's ends. */
export interface FramesTask extends PlacesTask {
  readonly place: SurveyedPlace | null;
  readonly last: number | null;
  readonly numbers: FrameNumbers;
}

/** Reads to an end, or until `enough` is thrown. */
export async function untilEnough(read: (enough: Error) => Promise<unknown>): Promise<void> {
  const enough = new Error("enough was read");
  try {
    await read(enough);
  } catch (error) {
    if (error !== enough) throw error;
  }
}

/** Reads a recording once. */
export async function findPlaces({ recording, asked, velocities }: PlacesTask): Promise<RecordingPlaces> {
  const inOrder = new FramesInOrder(recording);
  const places: SurveyedPlace[] = [];
  const warnings = new RowWarnings();
  let [frames, held] = [0, 0];
  const end = await streamDetections(recording, openInputStream(recording), {
    ...{ asked, velocities, space: true, warnings },
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
  frames += inOrder.taken().length;
  return { ...end, frames, numbers: inOrder.numbers, places, warnings: warnings.notes() };
}

/** The stretches of a recording between every so many of its places. */
export async function* stretchesOf({ places, numbers }: RecordingPlaces, task: PlacesTask): AsyncGenerator<FramesTask> {
  const borders = places.filter((_, n) => n % PLACES_OF_STRETCH === PLACES_OF_STRETCH - 1);
  for (const [n, place] of [null, ...borders].entries())
    yield { ...task, place, last: borders[n]?.frame ?? null, numbers };
}

/** Reads one of them. */
export async function readStretch({
  recording,
  asked,
  velocities,
  place,
  last,
  numbers,
}: FramesTask): Promise<InputFrame[]> {
  const inOrder = new FramesInOrder(recording);
  const resumed = place && { place, pieces: openInputStream(recording, undefined, place.offset) };
  await untilEnough(async (enough) => {
    const rows: DetectionStream = {
      ...{ asked, velocities, space: true, carry: true },
      onStart: (metadata, _, __, ___, hasDepths) => {
        inOrder.begin(metadata, hasDepths);
        if (place !== null) inOrder.resume(place.frame, numbers);
      },
      onRow: (row) => inOrder.add(row),
      onPause: () => {
        if (last !== null && inOrder.frame > last) throw enough;
      },
    };
    await streamDetections(recording, openInputStream(recording), rows, resumed);
    inOrder.end();
  });
  const frames = inOrder.taken().slice(0, last === null ? undefined : last - (place?.frame ?? 0) + 1);
  return place === null ? frames : frames.slice(1);
}
