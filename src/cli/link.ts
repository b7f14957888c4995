import { basename } from "node:path";
import { performance } from "node:perf_hooks";
import { Command, InvalidArgumentError, Option } from "commander";
import { InputError } from "../core/errors.js";
import { writeWhole } from "../files/whole-file.js";
import { readInput } from "../formats/input.js";
import { readWeights } from "../formats/link-weights.js";
import { DEVICE_CHOICES, type DeviceChoice } from "../gpu/adapter.js";
import { homographyLinks, kltLinks, nearestLinks } from "../pixels/features/link/chains.js";
import { type LinkedFeatures, linkFeatures } from "../pixels/features/link/link-features.js";
import { CANDIDATE_DEFAULTS, LINK_WEIGHTS } from "../pixels/features/link/pairs.js";
import { type PictureImage, tracksSvg } from "../report/tracks-svg.js";
import { provenance } from "../rows/provenance.js";
import type { ResultRow } from "../rows/results.js";
import { backendOn, type Device, openDevice } from "../run/device.js";
import type { Luma } from "../run/features/image.js";
import {
  addSigma,
  featureFrames,
  LINK_FILES,
  tracksOfLinks,
  writeChainedTracks,
  writeLinkInstance,
} from "../run/features/link.js";
import { makeProblem } from "../run/problem.js";
import { runProblem } from "../run/run.js";
import { greyPicture } from "../run/underlay.js";
import { writeRun } from "../run/write.js";
import { luma } from "./detect/options.js";
import { imageInput, inputFile, outputFile, outputFolder, several } from "./named-files.js";
import { defaultThreads, finite, integer, nonNegative, positive, refuseGiven, threads } from "./options.js";
import { notesOnce, printText } from "./print.js";
import { describeRun } from "./text.js";

interface LinkFlags {
  readonly output: string;
  readonly klt?: true;
  readonly sift?: true;
  readonly features: number;
  readonly peak: number;
  readonly carry: number;
  readonly gate: number;
  readonly bias: number;
  readonly weights?: string;
  readonly solve?: true;
  readonly chain?: Chain | true;
  readonly triplets: boolean;
  readonly gap: number;
  readonly threads: number;
  readonly device: DeviceChoice;
  readonly luma: Luma;
  readonly picture?: string;
  readonly json?: true;
}

const CHAINS = ["nearest", "klt", "homography"] as const;
type Chain = (typeof CHAINS)[number];

/** Pairs that cost this much or more are no candidates. */
const KEEP = 4;

export function linkCommand(): Command {
  return new Command("link")
    .description("Detect features in an image sequence and link them: an instance for rmap solve, and its tracks.")
    .argument("<frames...>", "folder, glob, images, a .y4m file, or - for Y4M on standard input", several(imageInput))
    .requiredOption("-o, --output <folder>", "write the instance there, and the tracks", outputFolder(LINK_FILES))
    .option("--sift", "SIFT's places (default)")
    .option("--klt", "KLT's corners, described as SIFT's places are at one scale")
    .option("--features <n>", "places of a frame at most, the strongest", integer(1, 1e6), 1000)
    .option("--peak <contrast>", "SIFT's threshold; low, so that few places are missed", positive, 0.01)
    .option("--carry <frames>", "carry a place that is missed by KLT, for so many frames", integer(0, 255), 0)
    .option("--gate <pixels>", "largest move", positive, CANDIDATE_DEFAULTS.gate)
    .option("--bias <cost>", "on top of every pair: fewer wrong links, and fewer links", finite, 0)
    .option("--weights <file>", "of the log odds, from rmap fit-links", inputFile)
    .option("--solve", "solve the instance: tracks and a certified gap")
    .option(
      "--chain [how]",
      `link frame by frame instead: ${CHAINS.join(", ")} (default: klt with --klt, else nearest)`,
      chainKind,
    )
    .option("--no-triplets", "pair costs only: the best assignment of every two frames")
    .option("--gap <percent>", "stop at this gap", nonNegative, 0.01)
    .option("--picture <file>", "draw the tracks over the first frame (.svg); with --solve or --chain", outputFile)
    .option("--threads <n>", "worker threads of the solver", threads, defaultThreads())
    .addOption(
      new Option("--device <name>", "where features are found and tracked, and the solver runs")
        .choices(DEVICE_CHOICES)
        .default("auto"),
    )
    .addOption(luma())
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      `
Examples:
  $ rmap link 'frames/*.png' --features 600 --solve -o results/linked
  $ ffmpeg -i video.mp4 -f yuv4mpegpipe - | rmap link - --carry 2 --solve -o results/video
  $ rmap link 'frames/*.png' --chain --picture chained.svg -o results/chained`,
    )
    .action(linkAction);
}

function chainKind(text: string): Chain {
  const chain = CHAINS.find((name) => name === text);
  if (chain !== undefined) return chain;
  throw new InvalidArgumentError(`Give ${CHAINS.join(", ")}, or nothing.`);
}

async function linkAction(inputs: string[], flags: LinkFlags, command: Command): Promise<void> {
  if (!flags.solve) refuseGiven(command, ["gap", "threads"], "is for the solver; give --solve too, or leave it out");
  if (flags.klt && flags.sift) throw new InputError("--klt and --sift exclude each other; give one of them");
  if (flags.chain !== undefined && flags.solve) {
    throw new InputError("--chain and --solve exclude each other; give one of them");
  }
  if (flags.picture !== undefined && flags.chain === undefined && !flags.solve) {
    throw new InputError("--picture draws tracks, and none are made; add --solve or --chain");
  }
  const device = await openDevice(flags.device);
  try {
    await linkOn(device, inputs, flags);
  } finally {
    await device.close();
  }
}

async function linkOn(device: Device, inputs: readonly string[], flags: LinkFlags): Promise<void> {
  const now = () => performance.now() / 1000;
  const weights = flags.weights === undefined ? LINK_WEIGHTS : readWeights(flags.weights);
  const detector = flags.klt ? "klt" : "sift";
  const begin = now();
  const { linked, first } = await detectAndCompare(device, inputs, flags, detector);
  const costs = { weights, bias: flags.bias, keep: KEEP, triplets: flags.triplets };
  const counts = writeLinkInstance(flags.output, linked, costs);
  const featureSeconds = now() - begin;
  const summary =
    `${counts.frames} frames, ${counts.detections} places${counts.carried > 0 ? ` (${counts.carried} carried)` : ""}, ` +
    `${counts.pairs} pairs, ${counts.triplets} triplets; ${detector} and tracking on ${device.actual}, ${featureSeconds.toFixed(1)} s\n`;
  const ran = { requested: flags.device, actual: device.actual };
  const json = { ...counts, detector, device: ran, featureSeconds };
  const print = (more: object, text: string) =>
    printText(flags.json ? `${JSON.stringify({ ...json, ...more })}\n` : summary + text);
  if (flags.chain !== undefined) {
    const how = flags.chain === true ? (detector === "klt" ? "klt" : "nearest") : flags.chain;
    const { file, tracks } = chain(flags, linked, how);
    const drawn = draw(flags, linked, first, tracks, `chained by ${how}`);
    print({ chain: how, picture: flags.picture ?? null }, `chained by ${how}, wrote ${file}${drawn}\n`);
  } else if (flags.solve) {
    const { row, written, track } = await solveFolder(device, flags, now);
    addSigma(flags.output, linked);
    if (track !== null) {
      const gap = row.gapPercent === null ? "gap unknown" : `certified gap ${Number(row.gapPercent.toPrecision(2))} %`;
      draw(flags, linked, first, track, row.status === "optimal" ? "proved optimal" : gap);
    } else if (flags.picture !== undefined) throw new InputError("--picture: the solver found no tracks to draw");
    const drawn = flags.picture === undefined ? [] : [flags.picture];
    print({ solve: row, picture: flags.picture ?? null }, describeRun(row, [...written, ...drawn]));
  } else print({}, `wrote ${flags.output}; next: rmap solve ${flags.output}\n`);
}

async function detectAndCompare(
  device: Device,
  inputs: readonly string[],
  flags: LinkFlags,
  detector: "sift" | "klt",
): Promise<{ linked: LinkedFeatures; first: PictureImage | null }> {
  const { gate, features, peak, carry } = flags;
  const progress = process.stderr.isTTY === true && !flags.json;
  const options = { ...CANDIDATE_DEFAULTS, gate, detector, features, peak, carry, device: device.session };
  let first: PictureImage | null = null;
  const frames = async function* () {
    for await (const image of featureFrames(inputs, flags.luma, notesOnce())) {
      if (flags.picture !== undefined) first ??= greyPicture(image);
      yield image;
    }
  };
  try {
    const linked = await linkFeatures(frames(), options, (frame, { count }) => {
      if (progress) process.stderr.write(`\rframe ${frame}: ${count} places  `);
    });
    return { linked, first };
  } finally {
    if (progress) process.stderr.write("\r\x1b[K");
  }
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
  const tracks = new Set(track);
  tracks.delete(-1);
  const title = `${basename(flags.output)}: ${tracks.size} tracks through ${places.length} frames\n${how}, over the first frame`;
  writeWhole(flags.picture, tracksSvg({ title, frameStart, x, y, track, target: null, unit: "px", image }));
  return `, ${flags.picture}`;
}

function chain(flags: LinkFlags, linked: LinkedFeatures, how: string): { file: string; tracks: Int32Array } {
  const { places, moved } = linked;
  const links = moved.map((tracks, t) => {
    if (how === "klt") return kltLinks(places[t], places[t + 1], tracks);
    return how === "homography"
      ? homographyLinks(places[t], places[t + 1], flags.gate, 1)
      : nearestLinks(places[t], places[t + 1], flags.gate);
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
  now: () => number,
): Promise<{ row: ResultRow; written: string[]; track: Int32Array | null }> {
  const options = { threads: flags.threads, now };
  const problem = await makeProblem(readInput(flags.output), {}, options);
  const run = await runProblem(problem, { ...options, backend: backendOn(device, options), gapPercent: flags.gap });
  const row: ResultRow = { ...run.result, ...provenance(new Date()) };
  return { row, written: writeRun(flags.output, problem, run, row), track: run.track };
}
