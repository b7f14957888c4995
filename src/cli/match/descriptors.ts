import { basename } from "node:path";
import { InputError } from "../../core/errors.js";
import type { Keypoints } from "../../core/keypoints.js";
import type { Note } from "../../files/images/png.js";
import { writeWhole } from "../../files/whole-file.js";
import { isKeypointFile, readKeypoints } from "../../formats/keypoints-reader.js";
import type { GpuSession } from "../../gpu/session.js";
import { type FoundHomography, findHomography, RANSAC_DEFAULTS } from "../../pixels/features/homography/ransac.js";
import { type Matches, matchDescriptors } from "../../pixels/features/match.js";
import { detectOpenvidia, OPENVIDIA_DEFAULTS } from "../../pixels/features/openvidia/openvidia.js";
import { detectSift } from "../../pixels/features/sift/gpu-sift.js";
import { SIFT_DEFAULTS } from "../../pixels/features/sift/sift.js";
import { matchesSvg } from "../../report/features-svg.js";
import type { PictureImage } from "../../report/track-picture.js";
import { type Device, onDevice, ranOn } from "../../run/device.js";
import { readFeatureImage } from "../../run/features/image.js";
import { greyPicture } from "../../run/underlay.js";
import { choice, type FlagsOf, type Method, type Outcome, option, toggle } from "../declaration/declaration.js";
import { outputFile } from "../options/files.js";
import { seed } from "../options/running.js";
import { positive } from "../options/values.js";
import { notesOnce, whyText, wroteText } from "../print.js";
import type { MatchFlags, Pair } from "./common.js";

const options = () => ({
  ratio: option("--ratio <share>", "most of nearest over second nearest distance; 1 takes all", positive).or(0.8),
  mutual: toggle("--mutual", "take only pairs of which each is the nearest of the other"),
  model: choice("--model <name>", "what right matches have in common", ["homography", "none"]).or("none"),
  threshold: option("--threshold <pixels>", "largest error of a right match, there and back", positive).or(
    RANSAC_DEFAULTS.threshold,
  ),
  homography: option("--homography <file>", "write the 3 × 3 matrix there", outputFile),
  seed: seed("the samples of RANSAC").or(RANSAC_DEFAULTS.seed),
});

type DescriptorFlags = MatchFlags & FlagsOf<ReturnType<typeof options>>;

/** Matching of features by their descriptors, however they are detected. */
function matchBy(
  summary: string,
  examples: readonly string[],
  detect: (file: string, session: GpuSession | null, note: Note) => Promise<Keypoints>,
): Method {
  return {
    summary,
    options: options(),
    examples,
    async run(pair: Pair, flags: DescriptorFlags) {
      const note = notesOnce();
      const images = flags.picture === undefined ? null : await imagesToDraw(pair, note);
      return onDevice(flags.device, async (device) => {
        const keypoints = async (file: string) =>
          isKeypointFile(file) ? readKeypoints(file) : await detect(file, device.session, note);
        const both = [await keypoints(pair.a), await keypoints(pair.b)] as const;
        return await matchKeypoints(pair, both, images, flags, device);
      });
    },
  };
}

export const siftMatching = matchBy(
  "SIFT's places, matched by their nearest descriptors in exact integers",
  [
    "rmap match left.png right.png -o matches.csv",
    "rmap match left.key right.key --mutual --model homography --homography h.txt --json",
    "rmap match left.png right.png --mutual --model homography --picture matches.svg",
  ],
  async (file, device, note) =>
    (await detectSift(await readFeatureImage(file, note), SIFT_DEFAULTS, { device })).keypoints,
);

export const openvidiaMatching = matchBy(
  "OpenVIDIA's corners with SIFT's descriptor at one scale, matched in the same way",
  ["rmap match left.png right.png --method openvidia --model homography"],
  async (file, device, note) => detectOpenvidia(await readFeatureImage(file, note), OPENVIDIA_DEFAULTS, { device }),
);

async function matchKeypoints(
  { a, b }: Pair,
  [one, other]: readonly [Keypoints, Keypoints],
  images: readonly [PictureImage, PictureImage] | null,
  flags: DescriptorFlags,
  device: Device,
): Promise<Outcome> {
  const { session, actual } = device;
  const how = { ratio: flags.ratio, mutual: flags.mutual === true };
  const matches = await matchDescriptors(one.descriptors, other.descriptors, how, { device: session });
  const wanted = flags.model === "homography" || flags.homography !== undefined;
  const found = wanted ? await homographyOf(one, other, matches, flags, session) : null;
  if (flags.output !== undefined) writeWhole(flags.output, formatMatches(matches, found));
  if (flags.homography !== undefined && found !== null) writeWhole(flags.homography, formatMatrix(found.h));
  const n = matches.i.length;
  const counts = `${n} matches of ${one.x.length} and ${other.x.length} keypoints, ${actual}`;
  if (flags.picture !== undefined && images !== null) {
    const title = `${basename(a)} and ${basename(b)}\n${counts}`;
    const picture = { title, images, inlier: found?.inlier ?? null, ...pairsOf(one, other, matches) };
    writeWhole(flags.picture, matchesSvg(picture));
  }
  const wrote = wroteText(flags.output, found === null ? undefined : flags.homography, flags.picture);
  const model = !wanted
    ? ""
    : found === null
      ? "no homography: no four matches have a fifth that agrees with them\n"
      : `homography with ${found.inliers} inliers after ${found.samples} samples\n${formatMatrix(found.h)}`;
  return {
    text: `${counts}${wrote}\n${model}${whyText(device)}`,
    json: {
      device: ranOn(device),
      keypoints: [one.x.length, other.x.length],
      matches: n,
      model: wanted ? "homography" : "none",
      homography: found === null ? null : [...found.h],
      inliers: found?.inliers ?? null,
      samples: found?.samples ?? null,
      seed: flags.seed,
      picture: flags.picture ?? null,
    },
  };
}

/** @throws InputError for keypoint files, over which nothing can be drawn */
async function imagesToDraw({ a, b }: Pair, note: Note): Promise<[PictureImage, PictureImage]> {
  for (const file of [a, b]) {
    if (isKeypointFile(file)) throw new InputError(`--picture: ${file} holds keypoints and no image; give the images`);
  }
  return [greyPicture(await readFeatureImage(a, note)), greyPicture(await readFeatureImage(b, note))];
}

/** Where the keypoints of each match are. */
function pairsOf(a: Keypoints, b: Keypoints, { i, j }: Matches) {
  const at = (values: Float32Array, places: Uint32Array) => Float32Array.from(places, (k) => values[k]);
  return { x: at(a.x, i), y: at(a.y, i), u: at(b.x, j), v: at(b.y, j) };
}

async function homographyOf(
  a: Keypoints,
  b: Keypoints,
  matches: Matches,
  flags: DescriptorFlags,
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
