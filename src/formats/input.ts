import { statSync } from "node:fs";
import { extname, join } from "node:path";
import { refuse, withFile } from "../files/refusal.js";
import { isThere, readBytes, readStandardInput } from "../files/text-file.js";
import { type DetectionsFile, parseDetections, type VelocityUse } from "./detections.js";
import { type InstanceFolder, readInstanceFolder } from "./instance-folder.js";
import { isMot, parseMot } from "./mot.js";
import { readScenario, type Scenario } from "./scenario.js";
import { parseTrackMate } from "./trackmate.js";

/** The kind of input that a path on the command line names. */
export type Input =
  | { readonly kind: "scenario"; readonly scenario: Scenario }
  | { readonly kind: "detections"; readonly recording: DetectionsFile }
  | { readonly kind: "instance"; readonly instance: InstanceFolder };

/** Detections in other forms than text of columns, by the ending of their files. To add one: a file, and a line here. */
const DETECTION_FORMATS: Readonly<Record<string, (file: string, bytes: Buffer) => DetectionsFile>> = {
  ".xml": parseTrackMate,
};

/** One of these makes a folder one of Zarr, version 2 or 3. */
const ZARR = [".zattrs", ".zgroup", "zarr.json"];

/** The name of detections on standard input in messages and results. */
const STANDARD_INPUT = "stdin";

/** Detections on standard input. */
export async function readPipedDetections(heard?: () => void): Promise<Input> {
  const bytes = await readStandardInput(STANDARD_INPUT);
  if (bytes.toString("latin1", 0, 64).trimStart().startsWith("{")) {
    refuse(STANDARD_INPUT, "is JSON, not detections", "name the scenario's file");
  }
  return { kind: "detections", recording: parseDetections(STANDARD_INPUT, bytes, "if-complete", undefined, heard) };
}

/**
 * Reads a scenario (.json), an instance (a folder) or detections: TrackMate's .xml, MOTChallenge text, or CSV. `heard` is called now and
 * then while a CSV is read, and ends that by throwing.
 */
export function readInput(path: string, heard?: () => void): Input {
  const stat = withFile(path, () => statSync(path));
  if (stat.isDirectory()) {
    if (ZARR.some((name) => isThere(join(path, name)))) {
      refuse(
        path,
        "is a Zarr folder, as of GEFF, which rmap writes but does not read",
        "give its nodes as CSV: frame,x,y",
      );
    }
    return { kind: "instance", instance: readInstanceFolder(path) };
  }
  const extension = extname(path).toLowerCase();
  if (extension === ".json") return { kind: "scenario", scenario: readScenario(path) };
  if (extension === ".npy") refuse(path, "is a single array", "name the instance folder it is in");
  if (extension === ".jsonl") refuse(path, "holds result rows", "name a scenario, detections or an instance folder");
  return { kind: "detections", recording: readRecording(path, "if-complete", heard) };
}

/** Reads detections of any format: TrackMate's .xml, MOTChallenge text, or CSV, whose velocities may be ignored. */
export function readRecording(path: string, velocities: VelocityUse, heard?: () => void): DetectionsFile {
  const bytes = readBytes(path);
  const parse = DETECTION_FORMATS[extname(path).toLowerCase()];
  if (parse !== undefined) return parse(path, bytes);
  return isMot(bytes) ? parseMot(path, bytes) : parseDetections(path, bytes, velocities, undefined, heard);
}
