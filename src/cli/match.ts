import { basename } from "node:path";
import { Command, Option } from "commander";
import { InputError } from "../core/errors.js";
import type { Keypoints } from "../core/keypoints.js";
import type { Note } from "../files/images/png.js";
import { writeWhole } from "../files/whole-file.js";
import { isKeypointFile, readKeypoints } from "../formats/keypoints-reader.js";
import { DEVICE_CHOICES, type DeviceChoice } from "../gpu/adapter.js";
import type { GpuSession } from "../gpu/session.js";
import { findHomography } from "../pixels/features/homography/find.js";
import { type FoundHomography, RANSAC_DEFAULTS } from "../pixels/features/homography/ransac.js";
import { KLT_DEFAULTS, KLT_LEVELS } from "../pixels/features/klt-track.js";
import type { Matches } from "../pixels/features/match.js";
import { matchDescriptors } from "../pixels/features/match-descriptors.js";
import { detectOpenvidia } from "../pixels/features/openvidia/detect.js";
import { OPENVIDIA_DEFAULTS } from "../pixels/features/openvidia/openvidia.js";
import { detectSift } from "../pixels/features/sift/detect.js";
import { SIFT_DEFAULTS } from "../pixels/features/sift/sift.js";
import { matchesSvg } from "../report/features-svg.js";
import type { PictureImage } from "../report/tracks-svg.js";
import { openDevice } from "../run/device.js";
import { readFeatureImage } from "../run/features/image.js";
import { greyPicture } from "../run/underlay.js";
import { type KltFlags, trackPoints } from "./match-klt.js";
import { inputFile, outputFile } from "./named-files.js";
import { integer, positive, refuseGiven, seed } from "./options.js";
import { notesOnce, printText, wroteText } from "./print.js";

interface MatchFlags {
  readonly output?: string;
  readonly detector: "sift" | "openvidia";
  readonly ratio: number;
  readonly mutual?: true;
  readonly model: "homography" | "none";
  readonly threshold: number;
  readonly homography?: string;
  readonly seed: number;
  readonly device: DeviceChoice;
  readonly json?: true;
  readonly klt?: true;
  readonly picture?: string;
}

export function matchCommand(): Command {
  return new Command("match")
    .description("Match the features of two images: nearest descriptors by exact integers, and a homography by RANSAC.")
    .argument("<a>", "image, or keypoints (.key, .sift, .csv) of rmap detect --method sift", inputFile)
    .argument("<b>", "the same of the other image", inputFile)
    .option("-o, --output <file>", "write the matches there: i,j,distance,ratio,inlier", outputFile)
    .addOption(
      new Option("--detector <name>", "of the features of images").choices(["sift", "openvidia"]).default("sift"),
    )
    .option("--ratio <share>", "nearest over second nearest distance, below it; 1 takes all", positive, 0.8)
    .option("--mutual", "each must be the nearest of the other")
    .addOption(new Option("--model <name>", "what right matches share").choices(["homography", "none"]).default("none"))
    .option("--threshold <pixels>", "error of an inlier, there and back", positive, RANSAC_DEFAULTS.threshold)
    .option("--homography <file>", "write the 3 × 3 matrix there", outputFile)
    .option("--seed <n>", "seed of the samples", seed, RANSAC_DEFAULTS.seed)
    .option("--picture <file>", "draw the matches, or with --klt the motion, over the images (.svg)", outputFile)
    .option("--klt", "track KLT's corners of the first image into the second instead")
    .option("--points <file>", "with --klt: track these (CSV: x,y)", inputFile)
    .option("--features <n>", "with --klt: corners at most", integer(1, 1e6), 1000)
    .option("--window <pixels>", "with --klt: side of the window, odd", integer(3, 61), KLT_DEFAULTS.window)
    .option("--levels <n>", "with --klt: levels of the pyramid", integer(1, 8), KLT_LEVELS)
    .option("--symmetric", "with --klt: gradients of both images (Sinha); on the CPU")
    .option(
      "--affine <grey>",
      "with --klt: lose points whose window an affine fit leaves further off, rms grey levels",
      positive,
    )
    .option("--one-way", "with --klt: do not track back to check")
    .addOption(new Option("--device <name>", "where it runs").choices(DEVICE_CHOICES).default("auto"))
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      `
Examples:
  $ rmap match left.png right.png -o matches.csv
  $ rmap match left.key right.key --mutual --model homography --homography h.txt --json
  $ rmap match left.png right.png --mutual --model homography --picture matches.svg
  $ rmap match first.png second.png --klt --levels 5 -o tracks.csv`,
    )
    .action(matchAction);
}

/** Options of one of the two modes alone. */
const OF_MATCHING = ["detector", "ratio", "mutual", "model", "threshold", "homography", "seed"];
const OF_KLT = ["points", "features", "window", "levels", "symmetric", "affine", "oneWay"];

async function matchAction(a: string, b: string, flags: MatchFlags & KltFlags, command: Command): Promise<void> {
  if (flags.klt) {
    refuseGiven(command, OF_MATCHING, "is for descriptors, which --klt does without; leave one of them out");
    return await trackPoints(a, b, flags);
  }
  refuseGiven(command, OF_KLT, "is for --klt; give --klt too, or leave it out");
  const note = notesOnce();
  const drawn = flags.picture === undefined ? null : await imagesToDraw(a, b, note);
  const device = await openDevice(flags.device);
  const { session, actual } = device;
  try {
    const { detector } = flags;
    const [one, other] = [await keypointsOf(a, detector, session, note), await keypointsOf(b, detector, session, note)];
    const options = { ratio: flags.ratio, mutual: flags.mutual === true };
    const matches = await matchDescriptors(one.descriptors, other.descriptors, options, { device: session });
    const wanted = flags.model === "homography" || flags.homography !== undefined;
    const found = wanted ? await homographyOf(one, other, matches, flags, session) : null;
    if (flags.output !== undefined) writeWhole(flags.output, formatMatches(matches, found));
    if (flags.homography !== undefined && found !== null) writeWhole(flags.homography, formatMatrix(found.h));
    if (flags.picture !== undefined && drawn !== null) {
      const { i } = matches;
      const title = `${basename(a)} and ${basename(b)}\n${i.length} matches of ${one.x.length} and ${other.x.length} keypoints, ${actual}`;
      const picture = { title, images: drawn, inlier: found?.inlier ?? null, ...pairsOf(one, other, matches) };
      writeWhole(flags.picture, matchesSvg(picture));
    }
    const n = matches.i.length;
    if (flags.json) {
      const json = {
        device: { requested: flags.device, actual },
        keypoints: [one.x.length, other.x.length],
        matches: n,
        model: wanted ? "homography" : "none",
        homography: found === null ? null : [...found.h],
        inliers: found?.inliers ?? null,
        samples: found?.samples ?? null,
        seed: flags.seed,
        picture: flags.picture ?? null,
      };
      printText(`${JSON.stringify(json)}\n`);
      return;
    }
    const lines = [
      `${n} matches of ${one.x.length} and ${other.x.length} keypoints, ${actual}${wroteText(flags.output, found === null ? undefined : flags.homography, flags.picture)}`,
    ];
    if (wanted) {
      lines.push(
        found === null
          ? "no homography: no four matches have a fifth that agrees with them"
          : `homography with ${found.inliers} inliers after ${found.samples} samples\n${formatMatrix(found.h).trimEnd()}`,
      );
    }
    printText(`${lines.join("\n")}\n`);
  } finally {
    await device.close();
  }
}

/** @throws InputError for keypoint files, over which nothing can be drawn */
async function imagesToDraw(a: string, b: string, note: Note): Promise<[PictureImage, PictureImage]> {
  for (const file of [a, b]) {
    if (isKeypointFile(file)) throw new InputError(`--picture: ${file} holds keypoints and no image; give the images`);
  }
  return [greyPicture(await readFeatureImage(a, note)), greyPicture(await readFeatureImage(b, note))];
}

async function keypointsOf(
  file: string,
  detector: MatchFlags["detector"],
  device: GpuSession | null,
  note: Note,
): Promise<Keypoints> {
  if (isKeypointFile(file)) return readKeypoints(file);
  if (detector === "openvidia")
    return await detectOpenvidia(await readFeatureImage(file, note), OPENVIDIA_DEFAULTS, { device });
  return (await detectSift(await readFeatureImage(file, note), SIFT_DEFAULTS, { device })).keypoints;
}

/** Where the keypoints of each match are. */
function pairsOf(a: Keypoints, b: Keypoints, { i, j }: Matches) {
  const take = (values: Float32Array, of: Uint32Array) => Float32Array.from(of, (k) => values[k]);
  return { x: take(a.x, i), y: take(a.y, i), u: take(b.x, j), v: take(b.y, j) };
}

async function homographyOf(
  a: Keypoints,
  b: Keypoints,
  matches: Matches,
  flags: MatchFlags,
  device: GpuSession | null,
): Promise<FoundHomography | null> {
  const { x, y, u, v } = pairsOf(a, b, matches);
  const pairs = { x: Float64Array.from(x), y: Float64Array.from(y), u: Float64Array.from(u), v: Float64Array.from(v) };
  return await findHomography(pairs, { ...RANSAC_DEFAULTS, threshold: flags.threshold, seed: flags.seed }, { device });
}

/** Column inlier is empty where no model was asked for or found. */
function formatMatches({ i, j, distance, ratio }: Matches, found: FoundHomography | null): string {
  const rows = Array.from(i, (from, k) => `${from},${j[k]},${distance[k]},${ratio[k]},${found?.inlier[k] ?? ""}\n`);
  return `i,j,distance,ratio,inlier\n${rows.join("")}`;
}

function formatMatrix(h: Float64Array): string {
  return [0, 3, 6]
    .map((r) => `${[...h.subarray(r, r + 3)].map((value) => value.toPrecision(12)).join(" ")}\n`)
    .join("");
}
