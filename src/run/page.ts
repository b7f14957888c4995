/** The page of tracks (page/), with the files of a run or a recording in it. */
import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { zipSync } from "fflate";
import { z } from "zod";
import { readPackageFile } from "../core/package-file.js";
import { refuse, withFile } from "../files/refusal.js";
import { readBytes, refuseNoFile } from "../files/text-file.js";
import { isZarr } from "../formats/geff-store.js";
import { readRecording } from "../formats/input.js";
import { readScenario } from "../formats/scenario.js";
import { holdsDetectionsOf, readResultFolder } from "../rows/result-folder.js";

/** The files of a run that the page reads; the picture and the history are drawn anew. */
const OF_RUN = ["result.json", "tracks.csv", "proof.json"];

const PLACE = '<script type="text/plain" id="data">';

/**
 * The text of the page.
 * @param path folder of `rmap solve -o`, detections or a graph that it opens with; undefined for a page without data
 * @throws InputError where there is nothing of that name that the page can show
 */
export function pageOf(path: string | undefined): string {
  const page = Buffer.from(readPackageFile("#rmap.html")).toString("utf8");
  if (path === undefined) return page;
  const files = Object.fromEntries(filesOf(path).map((file) => [file.split(sep).join("/"), readBytes(file)]));
  // Without the time of day the same files make the same page.
  const data = Buffer.from(zipSync(files, { mtime: new Date(1980, 0, 1) })).toString("base64");
  return page.replace(PLACE, () => PLACE + data);
}

function filesOf(path: string): string[] {
  if (!withFile(path, () => statSync(path)).isDirectory()) {
    withFile(path, () => refuseNoFile(path));
    // What the page could not read is refused here.
    if (/\.json$/i.test(path)) requireSimulation(path);
    else readRecording(path, "ignored");
    return [path];
  }
  if (existsSync(join(path, "result.json"))) {
    const written = OF_RUN.map((name) => join(path, name)).filter(existsSync);
    return [...new Set([...written, ...recordingOf(path)])];
  }
  if (isZarr(path)) return everyFile(path);
  refuse(path, "holds no result.json and no graph", "name a folder that rmap solve -o wrote, or detections");
}

function requireSimulation(path: string): void {
  const { kind } = readScenario(path).source;
  if (kind !== "simulation")
    refuse(
      path,
      `states ${kind}, and the page draws a simulation alone`,
      "name detections, or the folder of a solve of it",
    );
}

const source = z.looseObject({ source: z.looseObject({ kind: z.literal("detections"), file: z.string() }) });

/** The detections that were solved, where they are still there: with them the page can solve again. Any other file that a folder names stays where it is. */
function recordingOf(path: string): string[] {
  const folder = readResultFolder(path);
  const file = source.safeParse(folder.row.scenario).data?.source.file;
  return file !== undefined && existsSync(file) && statSync(file).isFile() && holdsDetectionsOf(file, folder)
    ? [file]
    : [];
}

function everyFile(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  // A link could lead to any file of this machine.
  return names.filter((file) => lstatSync(file).isFile()).map((file) => relative("", file));
}
