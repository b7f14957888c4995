/** `npm run build -w lab && node dist-lab/features/bench.js [IMAGES…]`: features on a GPU, beside CudaSift, OpenCV and the thesis of Mücke 2007. */
import { existsSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { Command, InvalidArgumentError, Option } from "commander";
import { EXIT } from "../../dist/cli/exit.js";
import { integer } from "../../dist/cli/options/values.js";
import { notesOnce, printText, textOf } from "../../dist/cli/print.js";
import { formatTable } from "../../dist/cli/text.js";
import { InputError } from "../../dist/core/errors.js";
import type { Plane } from "../../dist/pixels/image.js";
import { measurementsOf, readMixedRows } from "../../dist/rows/report-rows.js";
import { appendMeasurement, ensureAppendable } from "../../dist/rows/results.js";
import { openDevice } from "../../dist/run/device.js";
import { readFeatureImage } from "../../dist/run/features/image.js";
import { runCommand } from "../command.js";
import { LAB_SCHEMAS } from "../report/figures.js";
import { featuresRow } from "../rows/features.js";
import { featuresThesisRow } from "../rows/features-thesis.js";
import { FeatureClock } from "./clock.js";
import { drawnBlobs, resized } from "./images.js";
import { type Bench, type FeatureRow, isDone, type Job, type SizedImage } from "./job.js";
import { matchJobs, methodJobs } from "./methods.js";
import { peerTime } from "./peers.js";
import {
  halfJobs,
  harrisJobs,
  kltJobs,
  openvidiaJobs,
  ransacJobs,
  siftJobs,
  suppressionJobs,
  transferJobs,
} from "./thesis.js";

const STANDARD = ["640x480", "1280x960", "1920x1080"];
/** The thesis's five, and two more. */
const THESIS = ["320x240", "512x384", "640x480", "800x600", "1024x768", "1280x960", "1920x1080"];
const KLT_COUNTS = [100, 1000, 5000];

interface Figure {
  /** Unless others are given; none where no image is involved. */
  readonly sizes: readonly string[];
  readonly of: (bench: Bench, sized: SizedImage) => Job[];
  /** Jobs without an image; fewer or smaller on a software device. */
  readonly besides?: (bench: Bench, small: boolean) => Job[];
}

const FIGURE_NAMES = ["cudasift", "5.2", "5.3", "5.5", "5.13", "half", "table-4.3", "table-5.1"] as const;
type FigureName = (typeof FIGURE_NAMES)[number];

const FIGURES: Readonly<Record<FigureName, Figure>> = {
  cudasift: {
    sizes: STANDARD,
    of: methodJobs,
    besides: (bench, small) => matchJobs(bench, small ? [100] : [2000, 10_000]),
  },
  "5.2": { sizes: THESIS, of: suppressionJobs },
  "5.3": { sizes: THESIS, of: harrisJobs },
  "5.5": { sizes: THESIS, of: (bench, sized) => kltJobs(bench, sized, KLT_COUNTS) },
  "5.13": { sizes: THESIS, of: siftJobs, besides: (bench) => matchJobs(bench, [450]) },
  half: { sizes: THESIS, of: halfJobs },
  "table-4.3": { sizes: [], of: () => [], besides: (bench, small) => transferJobs(bench, small ? 1 : 64) },
  "table-5.1": { sizes: THESIS, of: openvidiaJobs, besides: ransacJobs },
};

/** Of the image that is drawn where none is given. */
const DRAWN = { width: 1280, height: 960, name: "blobs" } as const;

interface FeatureFlags {
  readonly figure: readonly FigureName[];
  readonly sizes?: readonly string[];
  readonly device: "gpu" | "software";
  readonly repeat?: number;
  readonly append?: string;
  readonly json?: true;
  readonly quiet?: true;
}

function featuresCommand(): Command {
  return new Command("features")
    .description(
      "Time edges, corners, KLT, SIFT, matching and RANSAC on a GPU, and make the measurements of Mücke 2007 again; each answer is compared with the CPU's first.",
    )
    .argument("[images...]", "PNG, PGM or PPM, resized to each size (default: drawn blobs)")
    .addOption(
      new Option("--figure <list>", `of ${FIGURE_NAMES.join(", ")}`)
        .argParser(figuresOf)
        .default([...FIGURE_NAMES], "all"),
    )
    .option(
      "--sizes <list>",
      "WIDTHxHEIGHT, or own for the image's, separated by commas (default: those of the figure)",
      sizesOf,
    )
    .addOption(new Option("--device <name>", "where it runs").choices(["gpu", "software"]).default("gpu"))
    .option("--repeat <n>", "timings of each by the device's clock (default: 50, software 2)", integer(1, 1000))
    .option(
      "--append <file>",
      "append each result as one line to a JSON Lines file; rows that are there are not made again",
    )
    .option("--json", "print one JSON object")
    .option("-q, --quiet", "no progress on stderr")
    .addHelpText(
      "after",
      `
cudasift: SIFT, corners, KLT, Canny, edge images and matching, to compare with CudaSift and OpenCV. 5.2 (where suppression runs), 5.3 (Harris),
5.5 (KLT), 5.13 (SIFT), half (SIFT in f16), table-4.3 (transfers), table-5.1 (OpenVIDIA's features and tracking, RANSAC): of the thesis.
Times beside ours were measured on other machines: lab/notes/features.md. Exit code 1: an answer did not agree with the CPU's, and has no time.

Examples:
  $ node dist-lab/features/bench.js --figure cudasift
  $ node dist-lab/features/bench.js photo.png --sizes own,1920x1080 --append rows.jsonl && node dist-lab/report/main.js rows.jsonl -o rows.html
  $ node dist-lab/features/bench.js --figure 5.3,table-5.1 --sizes 160x120 --device software --repeat 1`,
    )
    .action(featuresAction);
}

async function featuresAction(images: readonly string[], flags: FeatureFlags): Promise<void> {
  const { append } = flags;
  if (append !== undefined) ensureAppendable(append);
  const known = append === undefined ? [] : knownRows(append);
  const note = notesOnce();
  const sources: readonly { readonly name: string; readonly image: Plane }[] =
    images.length === 0
      ? [{ name: DRAWN.name, image: drawnBlobs(DRAWN.width, DRAWN.height) }]
      : await Promise.all(images.map(async (name) => ({ name, image: await readFeatureImage(name, note) })));
  const device = await openDevice(flags.device);
  const rows: FeatureRow[] = [];
  try {
    const { session } = device;
    if (session === null) throw new InputError(`--device ${flags.device} is no GPU: choose gpu or software`);
    if (!session.hasTimestamps) {
      throw new InputError(
        `--device ${flags.device}: ${device.actual} has no timestamps to time kernels by; choose another`,
      );
    }
    const now = () => performance.now() / 1000;
    const clock = await FeatureClock.create(session, now, flags.repeat ?? (flags.device === "software" ? 2 : 50));
    for (const { name, image } of sources) {
      const bench = { clock, requested: flags.device, source: name };
      for (const job of jobsOf(bench, image, flags)) {
        const label = [job.figure, job.size, job.what[0]].filter((part) => part !== null).join(", ");
        const old = isDone(job, known, bench);
        if (flags.quiet !== true && process.stderr.isTTY === true) {
          printText(textOf([`${label}${old ? ": is there" : " …"}`]), process.stderr);
        }
        if (old) continue;
        for (const row of await job.rows()) {
          // Rows are written at once, so that a later one that fails loses none of them.
          if (append !== undefined) appendFeatureRow(append, row);
          rows.push(row);
        }
      }
    }
    clock.destroy();
  } finally {
    await device.close();
  }
  printText(flags.json ? `${JSON.stringify({ rows })}\n` : describe(rows, device.actual));
  if (rows.some(isRefused)) process.exitCode = EXIT.failed;
}

function appendFeatureRow(file: string, row: FeatureRow): void {
  if (row.benchmark === "features") appendMeasurement(file, featuresRow, row);
  else appendMeasurement(file, featuresThesisRow, row);
}

function knownRows(file: string): FeatureRow[] {
  if (!existsSync(file) || readFileSync(file).length === 0) return [];
  return measurementsOf<FeatureRow>(readMixedRows(file, LAB_SCHEMAS), ["features", "features-thesis"]);
}

function jobsOf(bench: Bench, image: Plane, { figure, sizes, device }: FeatureFlags): Job[] {
  return figure.flatMap((name) => {
    const { sizes: usual, of, besides } = FIGURES[name];
    const given = usual.length === 0 ? [] : (sizes ?? usual);
    const others = besides?.(bench, device === "software") ?? [];
    return [...given.flatMap((size) => of(bench, sizedImage(image, size))), ...others];
  });
}

function sizedImage(image: Plane, size: string): SizedImage {
  const own = size === "own";
  const [width, height] = own ? [image.width, image.height] : size.split("x").map(Number);
  let made: Plane | null = null;
  return { size: `${width}x${height}`, image: () => (made ??= resized(image, width, height)) };
}

/** Whether the answer did not agree with the twin's, so that there are no times. */
function isRefused(row: FeatureRow): boolean {
  if (row.benchmark === "features") return row.milliseconds === null;
  return row.agreement !== null && row.wallMilliseconds === null && row.deviceMilliseconds === null;
}

function describe(rows: readonly FeatureRow[], device: string): string {
  if (rows.length === 0) return `${device}: nothing to measure; all rows are there\n`;
  const ms = (value: number | null | undefined) =>
    value === null || value === undefined ? "" : String(Number(value.toPrecision(4)));
  const lines = rows.map((row) => {
    const thesis = row.benchmark === "features-thesis" ? row : null;
    const wall = thesis?.wallMilliseconds ?? (row.wall as { median: number } | undefined)?.median;
    const found = thesis?.found ?? row.keypoints ?? row.corners ?? row.points ?? null;
    const peer = peerTime(row);
    const rate = thesis?.gigabytesPerSecond ? `${thesis.gigabytesPerSecond} GB/s` : "";
    const remark = thesis?.kept === undefined ? rate : `${(100 * thesis.kept).toFixed(2)} % of f32's`;
    return [
      thesis?.figure ?? "cudasift",
      row.what as string,
      (row.size as string | null) ?? "",
      isRefused(row)
        ? "DOES NOT AGREE"
        : ms(thesis ? thesis.deviceMilliseconds : (row.milliseconds as { median: number }).median),
      ms(wall as number | undefined),
      ms(thesis?.cpuMilliseconds),
      found === null ? "" : String(found),
      row.agreement === null ? "" : (100 * (row.agreement as number)).toFixed(2),
      peer === null ? remark : `${peer.milliseconds} ${peer.who}`,
    ];
  });
  const header = ["figure", "what", "image", "device ms", "end to end ms", "CPU ms", "found", "agree %", ""];
  const images = [...new Set(rows.map(({ image }) => String(image)))].join(", ");
  return `${device}, ${images}; medians; the CPU's twin on one thread\n${formatTable(header, lines)}`;
}

function figuresOf(text: string): FigureName[] {
  return text.split(",").map((part) => {
    const name = FIGURE_NAMES.find((one) => one === part);
    if (name === undefined) throw new InvalidArgumentError(`Give some of ${FIGURE_NAMES.join(", ")}.`);
    return name;
  });
}

function sizesOf(text: string): string[] {
  return text.split(",").map((part) => {
    const [width, height] = /^(\d{2,5})x(\d{2,5})$/.exec(part)?.slice(1).map(Number) ?? [];
    if (part === "own" || (width >= 32 && height >= 32 && width <= 16_384 && height <= 16_384)) return part;
    throw new InvalidArgumentError("Give sizes from 32x32 to 16384x16384, or own, as in 640x480,own.");
  });
}

await runCommand(featuresCommand());
