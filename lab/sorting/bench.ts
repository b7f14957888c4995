/** `npm run build -w lab && node dist-lab/sorting/bench.js DETECTIONS.csv…`: the boards of Maier et al. 2019 on the frames of recordings. */
import { basename } from "node:path";
import { performance } from "node:perf_hooks";
import { Command, InvalidArgumentError, Option } from "commander";
import { integer, positive } from "../../dist/cli/options/values.js";
import { printText, printWarnings } from "../../dist/cli/print.js";
import { formatTable } from "../../dist/cli/text.js";
import { InputError } from "../../dist/core/errors.js";
import { BusyWork, geometricMean } from "../../dist/experiments/bench/timing.js";
import { readDetections } from "../../dist/formats/detections.js";
import { DeviceMemoryError } from "../../dist/gpu/device-error.js";
import { provenance } from "../../dist/rows/provenance.js";
import { appendMeasurement, ensureAppendable } from "../../dist/rows/results.js";
import { openDevice } from "../../dist/run/device.js";
import { runCommand } from "../command.js";
import { type AuctionRow, auctionRow } from "../rows/auction.js";
import { framesOf, measureAuction, measureExact } from "./auction.js";
import { BOARDS } from "./boards.js";
import type { AuctionForm } from "./forms.js";
import { auctionSpeedups } from "./speedups.js";

interface AuctionFlags {
  readonly device: "gpu" | "software";
  readonly frames: number;
  readonly form: readonly AuctionForm[];
  readonly epsilon: number;
  readonly rounds: number;
  readonly tiles: number;
  readonly crowd: number;
  readonly border?: true;
  readonly each?: true;
  readonly append?: string;
  readonly json?: true;
}

function auctionCommand(): Command {
  return new Command("auction")
    .description(
      "The auction of Maier et al. 2019 on the frames of recordings: its four ways to keep bids, and the exact solver on one CPU core.",
    )
    .argument("<detections...>", "CSV files")
    .addOption(new Option("--device <name>", "where the auctions run").choices(["gpu", "software"]).default("gpu"))
    .option("--frames <n>", "frames of each recording", integer(1, 100_000), 100)
    .option("--form <list>", "list (of candidates) or dense (all pairs, as in the paper), or both", forms, [
      "list",
      "dense",
    ])
    .option("--epsilon <share>", "ε, of d_max", positive, 0.01)
    .option("--rounds <n>", "after which jv would decide", integer(1, 1e9), 10_000)
    .option(
      "--tiles <n>",
      "n × n copies of each frame side by side: larger problems of the same kind",
      integer(1, 64),
      1,
    )
    .option("--crowd <factor>", "a larger d_max: more candidates a track", positive, 1)
    .option("--border", "end tracks that are predicted out of view")
    .option("--each", "keep the time of each frame in the row")
    .option("--append <file>", "append each result as one line to a JSON Lines file")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      `
Examples:
  $ npx rmap simulate scenarios/belt/cylinders.json --frames 60 -o cylinders.csv
  $ node dist-lab/sorting/bench.js cylinders.csv --append auction.jsonl && node dist-lab/report/main.js auction.jsonl -o auction.html
  $ node dist-lab/sorting/bench.js cylinders.csv --device software --frames 5 --form list

matrix, lock, packed and workgroup: (a) to (d) of lab/notes/sorting.md. host: the host tests after each round, as in the paper; submit: it does not.`,
    )
    .action(auctionAction);
}

async function auctionAction(files: readonly string[], flags: AuctionFlags): Promise<void> {
  if (flags.append !== undefined) ensureAppendable(flags.append);
  const recordings = files.map((file) => readDetections(file, "ignored"));
  for (const { file, notes } of recordings) printWarnings(file, notes);
  const now = () => performance.now() / 1000;
  const { session } = await openDevice(flags.device);
  if (session === null) throw new InputError(`--device ${flags.device} is no GPU: choose gpu or software`);
  const rows: AuctionRow[] = [];
  const refused: Refused[] = [];
  try {
    const busy = await BusyWork.create(session, now);
    for (const { detections, file } of recordings) {
      const { frames: count, border = false, tiles, crowd, epsilon } = flags;
      const frames = await framesOf(detections, { count, border, tiles, crowd });
      const mean = (of: (frame: (typeof frames)[number]) => number) =>
        frames.reduce((sum, frame) => sum + of(frame), 0) / frames.length;
      const cpuMilliseconds = measureExact(now, frames);
      for (const form of flags.form) {
        for (const board of BOARDS) {
          for (const loop of board === "workgroup" ? (["submit"] as const) : (["host", "submit"] as const)) {
            const options = { board, form, loop, share: epsilon, mostRounds: flags.rounds };
            const set = basename(file).replace(/\.[^.]*$/, "");
            const measured = await measureAuction(session, busy, now, frames, options).catch((error: unknown) => {
              if (!(error instanceof DeviceMemoryError)) throw error;
              refused.push({ set, form, board, reason: error.what });
              return null;
            });
            if (measured === null) break;
            const row = {
              benchmark: "auction" as const,
              set,
              frames: frames.length,
              border,
              tiles,
              crowd,
              persons: mean((frame) => frame.tracks),
              objects: mean((frame) => frame.measurements),
              candidates: mean((frame) => frame.utility.length),
              epsilon,
              ...measured,
              frameMilliseconds: flags.each ? [...measured.frameMilliseconds] : undefined,
              cpuMilliseconds,
              device: session.description.name,
              certified: true as const,
              ...provenance(new Date()),
            };
            if (flags.append !== undefined) appendMeasurement(flags.append, auctionRow, row);
            rows.push(row);
          }
        }
      }
    }
    busy.destroy();
  } finally {
    await session.close();
  }
  printText(
    flags.json ? `${JSON.stringify({ rows, refused, speedups: auctionSpeedups(rows) })}\n` : describe(rows, refused),
  );
}

/** A board that does not fit the device. */
interface Refused {
  readonly set: string;
  readonly form: AuctionForm;
  readonly board: AuctionRow["board"];
  readonly reason: string;
}

function describe(rows: readonly AuctionRow[], refused: readonly Refused[]): string {
  const ms = (value: number) => value.toFixed(3);
  const header = [
    "set",
    "persons",
    "objects",
    "form",
    "board",
    "loop",
    "ms mean",
    "p99",
    "worst",
    "% of 5 ms",
    "rounds",
    "worst",
    "words",
    "CPU ms",
    "worst",
  ];
  const lines = rows.map(
    ({ set, tiles, persons, objects, form, board, loop, milliseconds, rounds, words, cpuMilliseconds }) => [
      tiles > 1 ? `${set} x${tiles * tiles}` : set,
      String(Math.round(persons)),
      String(Math.round(objects)),
      form,
      board,
      loop,
      ms(milliseconds.mean),
      ms(milliseconds.p99),
      ms(milliseconds.max),
      (20 * milliseconds.mean).toFixed(1),
      rounds.mean.toFixed(1),
      String(rounds.max),
      String(Math.round(words.mean)),
      ms(cpuMilliseconds.mean),
      ms(cpuMilliseconds.max),
    ],
  );
  const means = auctionSpeedups(rows).map(
    ({ form, name, ratios }) => `${form}: ${name} ${geometricMean(ratios.map(({ ratio }) => ratio)).toFixed(2)}`,
  );
  const cappedFrames = rows.reduce((sum, row) => sum + row.capped, 0);
  const notes = [
    ...means,
    ...(means.length > 0
      ? ["paper: one array over a matrix 1.04 to 1.7, mean 1.24; CUDA 1.17, OpenCL 1.25 and 1.32"]
      : []),
    ...(cappedFrames > 0 ? [`${cappedFrames} frames used up their rounds; jv would decide them`] : []),
    ...refused.map(({ set, form, board, reason }) => `refused: ${set}, ${form}, ${board}: ${reason}`),
  ];
  const device = rows[0]?.device ?? "nothing ran";
  return `${formatTable(header, lines)}\n${device}; geometric means over the sets of ratios of median times:\n${notes.map((line) => `  ${line}\n`).join("")}`;
}

function forms(text: string): AuctionForm[] {
  const given = text.split(",");
  if (given.every((form): form is AuctionForm => form === "list" || form === "dense")) return given;
  throw new InvalidArgumentError("Give list, dense, or list,dense.");
}

await runCommand(auctionCommand());
