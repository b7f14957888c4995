import { basename } from "node:path";
import { InputError } from "../core/errors.js";
import { writeWhole } from "../files/whole-file.js";
import { readInput } from "../formats/input.js";
import { readWeights } from "../formats/link-weights.js";
import { homographyLinks, kltLinks, nearestLinks } from "../pixels/features/link/chains.js";
import { type LinkedFeatures, linkFeatures } from "../pixels/features/link/link-features.js";
import { CANDIDATE_DEFAULTS, LINK_WEIGHTS } from "../pixels/features/link/pairs.js";
import type { PictureImage } from "../report/track-picture.js";
import { tracksSvg } from "../report/tracks-svg.js";
import { provenance } from "../rows/provenance.js";
import { type ResultRow, WEAK_MARGIN } from "../rows/results.js";
import { backendOn, type Device, onDevice, ranOn } from "../run/device.js";
import {
  addSigma,
  featureFrames,
  LINK_FILES,
  tracksOfLinks,
  writeChainedTracks,
  writeLinkInstance,
} from "../run/features/link.js";
import { type UnsureLink, unsureLinks } from "../run/margins.js";
import { makeProblem } from "../run/problem.js";
import { runProblem } from "../run/run.js";
import { greyPicture } from "../run/underlay.js";
import { writeRun } from "../run/write.js";
import { TrackLengths } from "../scores/track-lengths.js";
import { now } from "./clock.js";
import {
  type Context,
  choice,
  commandOfMethods,
  Declared,
  type Everywhere,
  type FlagsOf,
  type Method,
  type Options,
  type Outcome,
  oneOf,
  option,
  severalArguments,
  toggle,
} from "./declaration/declaration.js";
import { imageInput, inputFile, outputFolder } from "./options/files.js";
import { channel, luma, peak, top } from "./options/images.js";
import { picture, verbose } from "./options/output.js";
import { device, threads } from "./options/running.js";
import { finite, integer, nonNegative, positive } from "./options/values.js";
import { many, notesOnce, whyText } from "./print.js";
import { afterSolve, describeRun } from "./run-text.js";

const CHAINS = ["nearest", "klt", "homography"] as const;
type Chain = (typeof CHAINS)[number];

/** Low, so that few places are missed. */
const SIFT_PEAK = 0.01;

/** Pairs that cost this much or more are no candidates. */
const KEEP = 4;

const COMMON = {
  output: option(
    "-o, --output <folder>",
    "write the instance there, and the tracks",
    outputFolder(LINK_FILES),
  ).needed(),
  top: top("places of a frame").or(1000).formerly("--features"),
  carry: option("--carry <frames>", "frames over which KLT carries a missed place", integer(0, 255)).or(0),
  maxMove: option("--max-move <pixels>", "largest move from a frame to the next", positive)
    .or(CANDIDATE_DEFAULTS.gate)
    .formerly("--gate"),
  bias: option("--bias <cost>", "cost on top of every pair: fewer wrong links, and fewer links", finite).or(0),
  weights: option("--weights <file>", "weights of the log odds, from rmap fit-links", inputFile),
  triplets: new Declared<boolean>("--no-triplets", "use pair costs only: the best assignment of every two frames"),
  solve: toggle("--solve", "solve the instance: tracks and a certified gap"),
  verbose: verbose("with --solve: the size of the problem"),
  gap: option("--gap <percent>", "with --solve: stop at this certified gap", nonNegative).or(0.01),
  chain: option<Chain | true>(
    "--chain [how]",
    `link frame by frame instead: ${CHAINS.join(", ")} (default: klt with --method klt, else nearest)`,
    (text) => oneOf(CHAINS, text),
  ),
  picture: picture("with --solve or --chain: draw the tracks over the first frame there (.svg)"),
  luma: luma(),
  channel: channel(),
  device: device("features are found and tracked, and the solver runs"),
  threads: threads(" of the solver"),
};

type LinkFlags = FlagsOf<typeof COMMON> & Everywhere & { readonly peak?: number };
type Detector = "sift" | "klt";

function linkBy(detector: Detector, summary: string, options: Options, examples: readonly string[]): Method {
  return {
    summary,
    options,
    examples,
    async run({ frames }: { frames: string[] }, flags: LinkFlags, context) {
      refuseUnused(flags, context);
      return onDevice(flags.device, (device) => linkOn(device, frames, flags, detector, context));
    },
  };
}

const METHODS: Readonly<Record<Detector, Method>> = {
  sift: linkBy("sift", "SIFT's places", { peak: peak(SIFT_PEAK) }, [
    "rmap link 'frames/*.png' --top 600 --solve -o results/linked",
    "ffmpeg -i video.mp4 -f yuv4mpegpipe - | rmap link - --carry 2 --solve -o results/video",
    "rmap link 'frames/*.png' --chain --picture chained.svg -o results/chained",
  ]),
  klt: linkBy("klt", "KLT's corners, described as SIFT's places are at one scale", {}, [
    "rmap link 'frames/*.png' --method klt --solve -o results/corners",
  ]),
};

export const link = commandOfMethods(
  {
    group: "Images",
    summary: "Detect features in an image sequence and link them: an instance for rmap solve, and its tracks.",
    arguments: {
      frames: severalArguments("folder, glob, images, a .y4m file, or - for Y4M on standard input", imageInput),
    },
    options: COMMON,
    examples: [],
  },
  {
    option: choice("--method <name>", "what is linked", ["sift", "klt"])
      .or("sift")
      .formerly("--klt", "klt")
      .formerly("--sift", "sift"),
    of: METHODS,
  },
);

function refuseUnused(flags: LinkFlags, { refuse }: Context): void {
  if (!flags.solve) refuse(["gap", "threads", "verbose"], "is for the solver; give --solve too, or leave it out");
  if (flags.chain !== undefined && flags.solve)
    throw new InputError("--chain and --solve exclude each other; give one of them");
  if (flags.picture !== undefined && flags.chain === undefined && !flags.solve)
    throw new InputError("--picture draws tracks, and none are made; add --solve or --chain");
}

async function linkOn(
  device: Device,
  inputs: readonly string[],
  flags: LinkFlags,
  detector: Detector,
  { progress }: Context,
): Promise<Outcome> {
  const weights = flags.weights === undefined ? LINK_WEIGHTS : readWeights(flags.weights);
  const begin = now();
  const { linked, first } = await detectAndCompare(device, inputs, flags, detector, progress);
  const costs = { weights, bias: flags.bias, keep: KEEP, triplets: flags.triplets };
  const counts = writeLinkInstance(flags.output, linked, costs);
  const featureSeconds = now() - begin;
  const carried = counts.carried > 0 ? ` (${counts.carried} carried)` : "";
  const found = `${counts.frames} frames, ${counts.detections} places${carried}, ${counts.pairs} pairs, ${counts.triplets} triplets`;
  const summary = `${found}; ${detector} and tracking on ${device.actual}, ${featureSeconds.toFixed(1)} s\n${whyText(device)}`;
  const outcome = (more: object, text: string): Outcome => ({
    text: summary + text,
    json: { ...counts, detector, device: ranOn(device), featureSeconds, ...more },
  });
  const { picture = null } = flags;
  if (flags.chain !== undefined) {
    const how = flags.chain === true ? (detector === "klt" ? "klt" : "nearest") : flags.chain;
    const { file, tracks } = chain(flags, linked, how);
    const drawn = draw(flags, linked, first, tracks, `chained by ${how}`);
    return outcome({ chain: how, picture }, `chained by ${how}, wrote ${file}${drawn}\n`);
  }
  if (!flags.solve) return outcome({}, `wrote ${flags.output}; next: rmap solve ${flags.output}\n`);
  const { row, written, track, doubts } = await solveFolder(device, flags);
  addSigma(flags.output, linked);
  if (track !== null) {
    const gap = row.gapPercent === null ? "gap unknown" : `certified gap ${Number(row.gapPercent.toPrecision(2))} %`;
    draw(flags, linked, first, track, row.status === "optimal" ? "proved optimal" : gap);
  } else if (picture !== null) throw new InputError("--picture: the solver found no tracks to draw");
  const told = { doubts, verbose: flags.verbose === true, next: afterSolve(flags.output) };
  const files = picture === null ? written : [...written, picture];
  return outcome({ solve: row, picture }, describeRun(row, { ...told, written: files }));
}

async function detectAndCompare(
  device: Device,
  inputs: readonly string[],
  flags: LinkFlags,
  detector: Detector,
  progress: Context["progress"],
): Promise<{ linked: LinkedFeatures; first: PictureImage | null }> {
  const { maxMove, top, peak = SIFT_PEAK, carry } = flags;
  const options = {
    ...CANDIDATE_DEFAULTS,
    gate: maxMove,
    detector,
    features: top,
    peak,
    carry,
    device: device.session,
  };
  let first: PictureImage | null = null;
  const frames = async function* () {
    for await (const image of featureFrames(inputs, flags.luma, { note: notesOnce(), channel: flags.channel })) {
      if (flags.picture !== undefined) first ??= greyPicture(image);
      yield image;
    }
  };
  const linked = await linkFeatures(frames(), options, (frame, { count }) =>
    progress.show("frame", frame, undefined, () => `: ${count} places`),
  );
  return { linked, first };
}

/** Draws the tracks over the first frame where --picture asks for it; returns the text about it. */
function draw(
  flags: LinkFlags,
  { places }: LinkedFeatures,
  image: PictureImage | null,
  track: Int32Array,
  how: string,
): string {
  if (flags.picture === undefined || image === null) return "";
  const frameStart = new Uint32Array(places.length + 1);
  for (const [t, { count }] of places.entries()) frameStart[t + 1] = frameStart[t] + count;
  const [x, y] = (["x", "y"] as const).map((name) => Float64Array.from(places.flatMap((one) => [...one[name]])));
  const lengths = new TrackLengths();
  lengths.add(track);
  const { count, singles } = lengths.counts();
  const counted = `${many(count - singles, "track")} through ${places.length} frames, and ${many(singles, "single place")}`;
  const title = `${basename(flags.output)}: ${counted}\n${how}, over the first frame`;
  writeWhole(flags.picture, tracksSvg({ title, frameStart, x, y, track, target: null, unit: "px", image }));
  return `, ${flags.picture}`;
}

function chain(flags: LinkFlags, linked: LinkedFeatures, how: string): { file: string; tracks: Int32Array } {
  const { places, moved } = linked;
  const links = moved.map((tracks, t) => {
    if (how === "klt") return kltLinks(places[t], places[t + 1], tracks);
    return how === "homography"
      ? homographyLinks(places[t], places[t + 1], flags.maxMove, 1)
      : nearestLinks(places[t], places[t + 1], flags.maxMove);
  });
  const tracks = tracksOfLinks(
    links,
    places.map(({ count }) => count),
  );
  const file = writeChainedTracks(flags.output, linked, tracks);
  return { file, tracks: Int32Array.from(tracks.flatMap((ofFrame) => [...ofFrame])) };
}

/** As `rmap solve FOLDER`. */
async function solveFolder(
  device: Device,
  flags: LinkFlags,
): Promise<{ row: ResultRow; written: string[]; track: Int32Array | null; doubts: UnsureLink[] | null }> {
  const options = { threads: flags.threads, now };
  const problem = await makeProblem(await readInput(flags.output), {}, options);
  const run = await runProblem(problem, { ...options, backend: backendOn(device, options), gapPercent: flags.gap });
  const row: ResultRow = { ...run.result, ...provenance(new Date()) };
  const doubts = unsureLinks(run, problem.numbers, WEAK_MARGIN);
  return { row, written: writeRun(flags.output, problem, run, row), track: run.track, doubts };
}
