import { statSync } from "node:fs";
import { extname } from "node:path";
import { optionOf, refuse, withFile } from "../files/refusal.js";
import { readBytes, readStandardInput } from "../files/text-file.js";
import type { VelocityUse } from "./detection-columns.js";
import { type DetectionsFile, parseDetections, type ReadingSource } from "./detections.js";
import { isZarr } from "./geff-store.js";
import { type InstanceFolder, readInstanceFolder } from "./instance-folder.js";
import { parseLammps } from "./lammps.js";
import { isMot, MOT, parseMot } from "./mot.js";
import { parseNpy, parseNpz } from "./numpy.js";
import { namesGiven, refuseProperties } from "./reading-options.js";
import { readScenario, type Scenario } from "./scenario.js";
import { parseTrackMate } from "./trackmate.js";

/** The kind of input that a path on the command line names. */
export type Input =
  | { readonly kind: "scenario"; readonly scenario: Scenario }
  | { readonly kind: "detections"; readonly recording: DetectionsFile }
  | { readonly kind: "instance"; readonly instance: InstanceFolder };

type Parse = (file: string, bytes: Buffer, use: VelocityUse, source: ReadingSource) => DetectionsFile;

/** Detections in other forms than text of columns, by the ending of their files or by how they begin. To add one: a file, and a line here. */
const DETECTION_FORMATS: readonly (readonly [ending: string, begin: RegExp, parse: Parse])[] = [
  [".xml", /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|TrackMate)\b/, parseTrackMate],
  [".npy", /^\x93NUMPY/, parseNpy],
  [".npz", /^PK\p{Cc}{2}.{26}[\w.-]+\.npy/su, parseNpz],
  [".lammpstrj", /^ITEM: (?:TIMESTEP|UNITS|TIME)\b/, parseLammps],
];

/** The name of detections on standard input in messages and results. */
const STANDARD_INPUT = "stdin";

/** Detections on standard input. */
export async function readPipedDetections(source: ReadingSource = {}): Promise<Input> {
  const bytes = await readStandardInput(STANDARD_INPUT);
  if (bytes.toString("latin1", 0, 64).trimStart().startsWith("{")) {
    refuse(STANDARD_INPUT, "is JSON, not detections", "name the scenario's file");
  }
  return { kind: "detections", recording: parseRecording(STANDARD_INPUT, bytes, "if-complete", source) };
}

/**
 * Reads a scenario (.json), an instance (a folder), a graph (a folder of GEFF) or detections: TrackMate's .xml, MOTChallenge text, NumPy's arrays, LAMMPS's dumps, or a table.
 * @throws InputError where something is said of the detections of an input that has none of its own
 */
export async function readInput(path: string, source: ReadingSource = {}): Promise<Input> {
  const stat = withFile(path, () => statSync(path));
  if (stat.isDirectory() && isZarr(path)) return (await import("./geff-graph.js")).readGeffGraph(path, source);
  const input = inputAt(path, stat.isDirectory(), source);
  const [given] = namesGiven(source);
  if (input.kind !== "detections" && given !== undefined) {
    const { statedBy } = source;
    if (statedBy !== undefined)
      refuse(
        statedBy,
        `was made from a file of detections with ${optionOf(given)}, and ${path} is none`,
        "name that file",
      );
    refuse(optionOf(given), `is about a file of detections, and ${path} is none`, "leave it out");
  }
  return input;
}

function inputAt(path: string, isFolder: boolean, source: ReadingSource): Input {
  if (isFolder) return { kind: "instance", instance: readInstanceFolder(path) };
  const extension = extname(path).toLowerCase();
  if (extension === ".json") return { kind: "scenario", scenario: readScenario(path) };
  if (extension === ".jsonl") refuse(path, "holds result rows", "name a scenario, detections or an instance folder");
  return { kind: "detections", recording: readRecording(path, "if-complete", source) };
}

/** Reads detections of any format, whose velocities may be ignored. */
export function readRecording(path: string, velocities: VelocityUse, source: ReadingSource = {}): DetectionsFile {
  return parseRecording(path, readBytes(path), velocities, source);
}

/** readRecording on the bytes of a file of that name. */
export function parseRecording(
  path: string,
  given: Uint8Array,
  velocities: VelocityUse = "if-complete",
  source: ReadingSource = {},
): DetectionsFile {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  refuseProperties(path, source);
  const ending = extname(path).toLowerCase();
  const begin = bytes.toString("latin1", 0, 128);
  const format = DETECTION_FORMATS.find(([of]) => of === ending) ?? DETECTION_FORMATS.find(([, is]) => is.test(begin));
  const isText = source.columns === undefined && isMot(bytes);
  const parse = format?.[2] ?? (isText ? parseMot : parseDetections);
  if (parse !== parseDetections && parse !== parseTrackMate && source.decimal !== undefined)
    refuse(
      "--decimal",
      `${path} is ${parse === parseMot ? MOT : "no table of text"}, with decimal points`,
      "leave it out",
    );
  return parse(path, bytes, velocities, source);
}
