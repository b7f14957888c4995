/** Detections that a program gives as arrays. */
import { frameOfDetections, varies } from "../../core/detections.js";
import { frameNumber } from "../../core/frame-numbers.js";
import { picked } from "../../core/growing-array.js";
import { MAX_LENGTH, type NumberRange } from "../../core/range.js";
import { refuse } from "../../files/refusal.js";
import { type DetectionsFile, recordingOf } from "../../formats/detections.js";
import { numbersOf, repeatInFrame, sortByFrame } from "../../formats/frame-order.js";
import { type Numbers, numbersIn, requireOneLength } from "./numbers.js";

/** Detections, one entry of each array for each, in any order. */
export interface DetectionArrays {
  /** Number of the frame, a whole number from 0; numbers may be left out, and may go up in steps. */
  readonly frame: Numbers;
  /** Position, in a unit of length. */
  readonly x: Numbers;
  readonly y: Numbers;
  /** Depth, in the same unit [all detections are in a plane]. */
  readonly z?: Numbers | undefined;
  /** Measured velocity, in units of length per unit of time; NaN in all where there is none; vz with z. */
  readonly vx?: Numbers | undefined;
  readonly vy?: Numbers | undefined;
  readonly vz?: Numbers | undefined;
  /** True identity, −1 for a false detection: with it the answer is scored. */
  readonly target?: Numbers | undefined;
  /** Further numbers of each detection, such as its area, which costs may read. */
  readonly attributes?: Readonly<Record<string, Numbers>> | undefined;
}

/** The recording, and the input's row of each of its detections. */
export interface GivenRecording {
  readonly recording: DetectionsFile;
  readonly rowOf: Uint32Array;
}

const FRAME: NumberRange = { least: 0, most: Number.MAX_SAFE_INTEGER, whole: true };
const LENGTH: NumberRange = { least: -MAX_LENGTH, most: MAX_LENGTH, above: true, below: true };
const TARGET: NumberRange = { least: -1, most: 2 ** 31 - 1, whole: true };
const ANY: NumberRange = { least: -Number.MAX_VALUE, most: Number.MAX_VALUE };

const KNOWN = ["frame", "x", "y", "z", "vx", "vy", "vz", "target", "attributes"];

/** @throws InputError that names the function, the array, the entry, its value and the remedy */
export function recordingFrom(place: string, given: DetectionArrays, timeStep = 1): GivenRecording {
  if (typeof given !== "object" || given === null) {
    refuse(place, "has no detections", "give an object of arrays: { frame, x, y }");
  }
  for (const name of Object.keys(given)) {
    if (!KNOWN.includes(name))
      refuse(`${place}, ${name}`, "is no array of detections", `known are ${KNOWN.join(", ")}`);
  }
  const column = (name: "z" | "vx" | "vy" | "vz" | "target", range: NumberRange, holes = false) =>
    given[name] === undefined ? null : numbersIn(`${place}, ${name}`, given[name], range, holes);
  const frame = numbersIn(`${place}, frame`, given.frame, FRAME);
  const x = numbersIn(`${place}, x`, given.x, LENGTH);
  const y = numbersIn(`${place}, y`, given.y, LENGTH);
  const z = column("z", LENGTH);
  const [vx, vy, vz] = (["vx", "vy", "vz"] as const).map((name) => column(name, LENGTH, true));
  const target = column("target", TARGET);
  const attributes = Object.entries(given.attributes ?? {}).map(([name, values]) => {
    return [name, numbersIn(`${place}, attributes.${name}`, values, ANY, true)] as const;
  });
  requireOneLength(place, { frame, x, y, z, vx, vy, vz, target, ...Object.fromEntries(attributes) });
  if (vz !== null && z === null) refuse(`${place}, z`, "is missing, and vz is given", "give both or neither");
  // All in one plane: the third axis says nothing.
  const isDeep = z !== null && varies(z);
  const velocities = velocitiesOf(place, { vx, vy, ...(isDeep && { vz }) });
  const numbers = numbersOf(frame, { metadata: new Map(), frames: null, step: 1 });
  if (frame.length === 0) refuse(`${place}, frame`, "is empty", "give detections of two frames or more");
  const ofRow = (row: number) => `${place}, frame[${row}]`;
  const rows = { frame, place: ofRow, remedy: "number the frames 0, 1, 2, …" };
  const { order: rowOf, frameStart } = sortByFrame(rows, numbers, null);
  const detections = {
    frames: frameStart.length - 1,
    frameStart,
    x: picked(x, rowOf),
    y: picked(y, rowOf),
    ...(isDeep && { z: picked(z, rowOf) }),
    vx: velocities && picked(velocities[0], rowOf),
    vy: velocities && picked(velocities[1], rowOf),
    ...(velocities?.[2] && { vz: picked(velocities[2], rowOf) }),
    target: target && picked(Int32Array.from(target), rowOf),
    ...(attributes.length > 0 && {
      attributes: new Map(attributes.map(([name, values]) => [name, picked(values, rowOf)])),
    }),
    timeStep,
  };
  const frameOf = frameOfDetections(frameStart);
  const repeat = detections.target && repeatInFrame(frameOf, detections.target);
  if (repeat) {
    const [first, second] = [rowOf[repeat.first], rowOf[repeat.second]];
    const problem = `is ${target?.[second]} in frame ${frameNumber(numbers, frameOf[repeat.second])}, as target[${first}] is`;
    refuse(`${place}, target[${second}]`, problem, "a target has one detection in a frame: correct one, or give -1");
  }
  const notes =
    numbers.step === 1 ? [] : [`Frame numbers go up in steps of ${numbers.step}: none in between is a missed frame.`];
  return { recording: { ...recordingOf("detections", detections), line: rowOf, numbers, notes }, rowOf };
}

/** The velocities axis by axis; null where none are given. */
function velocitiesOf(place: string, given: Readonly<Record<string, Float64Array | null>>) {
  const axes = Object.entries(given);
  const here = axes.flatMap(([name, values]) => (values === null ? [] : [{ name, values }]));
  const [gone] = axes.find(([, values]) => values === null) ?? [];
  if (here.length === 0) return null;
  if (gone !== undefined)
    refuse(
      `${place}, ${gone}`,
      `is missing, and ${here[0].name} is given`,
      `give ${axes.length === 2 ? "both" : "all"} or neither`,
    );
  const [first, ...others] = here;
  for (const { name, values } of others) {
    const odd = first.values.findIndex((value, k) => Number.isNaN(value) !== Number.isNaN(values[k]));
    if (odd < 0) continue;
    const problem = `is ${first.values[odd]}, and ${name}[${odd}] ${values[odd]}`;
    refuse(`${place}, ${first.name}[${odd}]`, problem, "give both or NaN in both");
  }
  return first.values.every(Number.isNaN) ? null : here.map(({ values }) => values);
}
