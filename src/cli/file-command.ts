/** `rmap FILE`: the command that a file or folder is for. */
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { imagesIn } from "../files/images/sequence.js";
import { oneLine, refuse, withFile } from "../files/refusal.js";
import { isCtc } from "../formats/ctc.js";
import { isZarr } from "../formats/geff-store.js";
import { INSTANCE_FILES } from "../formats/instance-files.js";
import { isTable } from "../formats/numpy.js";
import { printProblem } from "./print.js";

interface Use {
  /** The kind of the file. */
  readonly is: string;
  readonly words: readonly string[];
}

const TRACKS = "a table of tracks";

/** What is detected in images where no method is named: what trackers begin with. */
const SPOTS = ["--method", "blobs"];

/** Bytes in which a header is looked for. */
const HEAD = 2 ** 17;

/** The whole command line, which a note shows. */
export function commandForFile([path, ...more]: readonly string[]): string[] {
  const { is, words } = withFile(path, () => statSync(path)).isDirectory() ? useOfFolder(path) : useOfFile(path);
  const line = is === TRACKS ? scoring(path, more) : [...words, ...more];
  if (words[0] === "detect" && !more.some((word) => /^--method(=|$)/.test(word))) line.push(...SPOTS);
  printProblem(`note: ${path} is ${is}: rmap ${line.map(oneLine).join(" ")}`);
  return line;
}

/** Tracks are scored against the detections that are named after them. */
function scoring(tracks: string, more: readonly string[]): string[] {
  const [detections, ...options] = more;
  if (detections === undefined || detections.startsWith("-"))
    refuse(tracks, "holds tracks, and no detections are named to score them against", `give rmap ${tracks} DETECTIONS`);
  return ["evaluate", detections, tracks, ...options];
}

function useOfFolder(folder: string): Use {
  const has = (name: string) => existsSync(join(folder, name));
  if (has("result.json"))
    return { is: "a folder of results", words: ["page", folder, "-o", join(folder, "page.html")] };
  // Detections beside a scenario are no instance.
  if (INSTANCE_FILES.some((name) => name !== "detections.csv" && has(name)))
    return { is: "an instance", words: ["solve", folder] };
  if (isCtc(folder) || isZarr(folder)) return { is: TRACKS, words: [] };
  if (imagesIn(folder)?.length === 0)
    refuse(folder, "holds no results, no instance, no tracks and no images", "name a file in it");
  return { is: "a folder of images", words: ["detect", folder] };
}

const BY_ENDING: Readonly<Record<string, (file: string) => Use>> = {
  ".json": useOfJson,
  ".jsonl": (file) => ({ is: "rows of results", words: ["report", file, "-o", file.replace(/jsonl$/i, "html")] }),
  ".flo": (file) => ({ is: "an optical flow", words: ["flow", "--score", file] }),
  ...Object.fromEntries([".png", ".tif", ".tiff", ".pgm", ".ppm", ".y4m"].map((ending) => [ending, useOfImages])),
  ".npy": (file) => (isTable(file, headOf(file)) ? useOfDetections(file) : useOfImages(file)),
  ".npz": useOfDetections,
};

function useOfImages(file: string): Use {
  return { is: "an image or a sequence", words: ["detect", file] };
}

function useOfDetections(file: string): Use {
  return { is: "detections", words: ["solve", file] };
}

function useOfFile(file: string): Use {
  const byEnding = BY_ENDING[extname(file).toLowerCase()];
  return byEnding === undefined ? useOfTable(file) : byEnding(file);
}

function useOfTable(file: string): Use {
  const header =
    headOf(file)
      .toString("utf8")
      .split("\n")
      .find((line) => !line.startsWith("#")) ?? "";
  const columns = header.split(",").map((name) => name.trim());
  return columns.includes("track") && columns.includes("detection") ? { is: TRACKS, words: [] } : useOfDetections(file);
}

/** Its first bytes; none of a pipe, which can be read only once. */
function headOf(file: string): Buffer {
  if (!statSync(file).isFile()) return Buffer.alloc(0);
  const descriptor = withFile(file, () => openSync(file, "r"));
  const head = Buffer.alloc(HEAD);
  const length = readSync(descriptor, head, 0, HEAD, 0);
  closeSync(descriptor);
  return head.subarray(0, length);
}

function useOfJson(file: string): Use {
  const keys = keysOf(file);
  if (keys.has("format")) return { is: "a proof", words: ["check", file] };
  if (keys.has("base")) return { is: "a sweep, whose runs are listed", words: ["sweep", file, "--dry-run"] };
  if (keys.has("cases")) return { is: "a baseline", words: ["regress", file] };
  if (keys.has("width") && keys.has("snr")) return { is: "a scene of images", words: ["render", file] };
  return { is: "a scenario", words: ["solve", file] };
}

/** No keys where the file is a pipe or no JSON; the command says why. */
function keysOf(file: string): ReadonlySet<string> {
  try {
    if (!statSync(file).isFile()) return new Set();
    return new Set(Object.keys(JSON.parse(readFileSync(file, "utf8"))));
  } catch {
    return new Set();
  }
}
