/** An instance folder from the features of an image sequence, and tracks that were linked frame by frame. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../core/errors.js";
import { readFrameFiles, readFrames } from "../../files/images/frames.js";
import type { ImageOptions } from "../../files/images/tiff-layout.js";
import { encodeNpy } from "../../files/npy-writer.js";
import { withFile } from "../../files/refusal.js";
import { plainText, readBytes } from "../../files/text-file.js";
import { ensureFolder, writeWhole } from "../../files/whole-file.js";
import { INSTANCE_FILES } from "../../formats/instance-files.js";
import { CANDIDATE_TERMS } from "../../formats/link-candidates.js";
import type { Links } from "../../pixels/features/link/chains.js";
import { type LinkCostOptions, pairRows, tripletRows } from "../../pixels/features/link/instance.js";
import type { LinkedFeatures } from "../../pixels/features/link/link-features.js";
import { termsOf } from "../../pixels/features/link/pairs.js";
import type { Plane } from "../../pixels/image.js";
import { RUN_FILES } from "../write.js";
import { featureImage, type Luma } from "./image.js";

/** A folder, a glob, a file of several frames, `-` for Y4M on standard input, or several image files. */
export async function* featureFrames(
  inputs: readonly string[],
  luma: Luma,
  options: ImageOptions,
): AsyncGenerator<Plane> {
  const frames = inputs.length === 1 ? readFrames(inputs[0], options) : readFrameFiles(inputs, options);
  for await (const frame of frames) yield featureImage(frame, luma);
}

export interface InstanceCounts {
  readonly frames: number;
  readonly detections: number;
  readonly carried: number;
  readonly pairs: number;
  readonly triplets: number;
}

/** Files of an earlier run, of rmap solve or with other options, that would be taken for this one's. */
const STALE_FILES = [
  "result.json",
  "tracks.csv",
  "tracks.svg",
  "history.csv",
  "triplets.npy",
  "pairs.csv",
  "triplets.csv",
];

/** The files that are written in the folder, or removed from it. */
export const LINK_FILES = [...new Set([...STALE_FILES, ...INSTANCE_FILES, ...RUN_FILES, "candidates.csv"])];

/**
 * Writes pairs.npy, triplets.npy (unless `triplets` is false), instance.json, detections.csv with σ and candidates.csv with the terms of
 * the log odds, from which `rmap fit-links` fits weights.
 */
export function writeLinkInstance(
  folder: string,
  linked: LinkedFeatures,
  options: LinkCostOptions & { readonly triplets: boolean },
): InstanceCounts {
  const { places, candidates, bends } = linked;
  if (places.length < 2) throw new InputError(`${places.length} frame; give a sequence of two or more`);
  ensureFolder(folder);
  const pairs = pairRows(candidates, options);
  if (pairs.length === 0) {
    throw new InputError(
      "no feature of a frame resembles one of the next; check the order of the frames, widen --gate or lower --peak",
    );
  }
  const triplets = options.triplets ? tripletRows(pairs, places, bends) : [];
  for (const name of STALE_FILES) {
    withFile(folder, () => rmSync(join(folder, name), { force: true }));
  }
  writeWhole(join(folder, "pairs.npy"), encodeNpy([pairs.length, 4], Float64Array.from(pairs.flat())));
  if (options.triplets && triplets.length > 0) {
    writeWhole(join(folder, "triplets.npy"), encodeNpy([triplets.length, 5], Float64Array.from(triplets.flat())));
  }
  const counts = places.map(({ count }) => count);
  writeWhole(join(folder, "instance.json"), `${JSON.stringify({ counts, birth: 0, death: 0 })}\n`);
  writeWhole(join(folder, "detections.csv"), formatPlaces(linked));
  writeWhole(join(folder, "candidates.csv"), formatCandidates(linked));
  return {
    frames: places.length,
    detections: counts.reduce((sum, count) => sum + count, 0),
    carried: places.reduce((sum, { carried }) => sum + carried.reduce((n, age) => n + Number(age > 0), 0), 0),
    pairs: pairs.length,
    triplets: triplets.length,
  };
}

function formatPlaces({ places }: LinkedFeatures): string {
  const rows = places.flatMap(({ x, y, sigma, carried }, frame) =>
    Array.from(x, (px, k) => `${frame},${px},${y[k]},${sigma[k]},${carried[k]}\n`),
  );
  return `# frames=${places.length} units=px,px/frame\nframe,x,y,sigma,carried\n${rows.join("")}`;
}

function formatCandidates({ candidates }: LinkedFeatures): string {
  const rows = candidates.flatMap((ofFrame, frame) =>
    ofFrame.map((candidate) => `${frame},${candidate.i},${candidate.j},${termsOf(candidate).join(",")}\n`),
  );
  return `frame,i,j,${CANDIDATE_TERMS.join(",")}\n${rows.join("")}`;
}

/** Tracks from links of each frame to the next, numbered as they begin; −1 for places linked to nothing. */
export function tracksOfLinks(links: readonly Links[], counts: readonly number[]): Int32Array[] {
  const tracks = counts.map((count) => new Int32Array(count).fill(-1));
  let next = 0;
  for (const [t, ofFrame] of links.entries()) {
    for (const [i, j] of ofFrame.entries()) {
      if (j < 0) continue;
      if (tracks[t][i] < 0) tracks[t][i] = next++;
      tracks[t + 1][j] = tracks[t][i];
    }
  }
  return tracks;
}

/** Writes tracks.csv for tracks that were linked frame by frame. */
export function writeChainedTracks(folder: string, { places }: LinkedFeatures, tracks: readonly Int32Array[]): string {
  const rows = places.flatMap(({ x, y, sigma }, frame) =>
    Array.from(
      x,
      (px, k) => `${frame},${k},${tracks[frame][k] < 0 ? "" : tracks[frame][k]},${px},${y[k]},${sigma[k]}\n`,
    ),
  );
  const file = join(folder, "tracks.csv");
  writeWhole(file, `frame,detection,track,x,y,sigma\n${rows.join("")}`);
  return file;
}

/** Adds the column sigma to the tracks.csv that a solve wrote. */
export function addSigma(folder: string, { places }: LinkedFeatures): void {
  const file = join(folder, "tracks.csv");
  if (!existsSync(file)) return;
  const [header, ...rows] = plainText(file, readBytes(file)).toString("utf8").trimEnd().split("\n");
  const sigma = places.flatMap((ofFrame) => [...ofFrame.sigma]);
  writeWhole(file, `${header},sigma\n${rows.map((row, k) => `${row},${sigma[k]}\n`).join("")}`);
}
