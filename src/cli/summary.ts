import { basename } from "node:path";
import { writeWhole } from "../files/whole-file.js";
import { readAnyTracks } from "../formats/answer.js";
import { msdSvg } from "../report/msd-svg.js";
import { formatNumber as short } from "../report/numbers.js";
import { type SmoothedTracks, smoothTracks, type TrackPlace } from "../run/smoothed-tracks.js";
import { frameStep, squaredDisplacements, summariseTracks } from "../scores/track-summary.js";
import { argument, command, option } from "./declaration/declaration.js";
import { inputFile, outputFile } from "./options/files.js";
import { picture } from "./options/output.js";
import { trackColumns } from "./options/reading.js";
import { integer, positive } from "./options/values.js";
import { labelled, many, textOf, wroteText } from "./print.js";
import { formatNumber } from "./text.js";

export const summary = command({
  group: "Tracks",
  summary: "Say how long, how far and how fast each track goes, and the mean squared displacement over time.",
  arguments: { tracks: argument("tracks.csv: frame,track,x,y, or tracks of any form that export writes", inputFile) },
  options: {
    output: option("-o, --output <file>", "write a row for each track there (CSV)", outputFile),
    msd: option("--msd <file>", "write the mean squared displacement by lag there (CSV)", outputFile),
    picture: picture("draw the mean squared displacement there (.svg)"),
    smooth: option(
      "--smooth <file>",
      "write positions smoothed by the law of motion that is likeliest for the tracks there (CSV)",
      outputFile,
    ),
    fill: option(
      "--fill <file>",
      "write the detections there, and by the same law a position for each frame that a track misses, marked in the column filled (CSV)",
      outputFile,
    ),
    dt: option("--dt <time>", "time between two frames", positive).or(1),
    lags: option("--lags <frames>", "greatest lag of the mean squared displacement", integer(1, 100_000)).or(25),
    trackColumns: trackColumns(),
  },
  examples: [
    "rmap summary results/cells/tracks.csv -o cells.csv",
    "rmap summary results/cells/tracks.csv --smooth smooth.csv --fill filled.csv",
    "rmap summary results/cells/tracks.csv --dt 240 --msd msd.csv --picture msd.svg",
  ],
  notes: `Lengths are in the unit of x and y, and are those in space where tracks have z. Detections in no track are left out; a pair over missed frames counts for its own lag.
--smooth and --fill: velocities vary about a drift and are forgotten after a while (a stationary Ornstein–Uhlenbeck process), and positions are measured with
noise. All numbers are fitted to the tracks by maximum likelihood; the output states them. A position is the mean that the law gives it with all detections of its track known, and sd its standard deviation on an axis.`,
  async run({ tracks: file }, { trackColumns, output, msd, smooth, fill, picture, dt, lags }) {
    const points = await readAnyTracks(file, trackColumns);
    const step = frameStep(points);
    const tracks = summariseTracks(points, step, dt);
    const squared = squaredDisplacements(points, step, lags).map((one) => ({ ...one, time: one.lag * dt }));
    if (output !== undefined) {
      const rows = tracks.map(({ track, first, last, detections, missed, path, displacement, speed }) => {
        const mother = points.parent.get(track) ?? "";
        return `${track},${first},${last},${detections},${missed},${path},${displacement},${speed ?? ""},${mother}\n`;
      });
      writeWhole(
        output,
        `track,first_frame,last_frame,detections,missed,path,displacement,mean_speed,parent\n${rows.join("")}`,
      );
    }
    if (msd !== undefined) {
      const rows = squared.map(({ lag, time, pairs, mean }) => `${lag},${time},${pairs},${mean}\n`);
      writeWhole(msd, `lag,time,pairs,msd\n${rows.join("")}`);
    }
    const places = smooth === undefined && fill === undefined ? null : smoothTracks(points, step);
    if (smooth !== undefined) writeWhole(smooth, formatPlaces(places?.smoothed ?? [], points.parent));
    if (fill !== undefined) writeWhole(fill, formatPlaces(places?.filled ?? [], points.parent));
    if (picture !== undefined) writeWhole(picture, msdSvg(`${basename(file)}: mean squared displacement`, squared));
    const [first] = squared;
    const text = textOf([
      `${file}: ${many(tracks.length, "track")}${wroteText(output, msd, smooth, fill, picture)}`,
      ...(first === undefined
        ? []
        : [
            [
              "msd",
              `${formatNumber(first.mean)} after ${many(first.lag, "frame")}, ${many(first.pairs, "pair")}`,
            ] as const,
          ]),
      ...(places === null ? [] : [["law", lawWords(places.law)] as const]),
      ...points.notes.map(labelled),
    ]);
    return { text, json: { dt, step, tracks, msd: squared, ...(places && { law: places.law }) } };
  },
});

function lawWords({ drift, velocity, memory, noise, exact }: SmoothedTracks["law"]): string {
  return `velocities vary by ${short(velocity)} on an axis about the drift (${drift.map((value) => short(value)).join(", ")}) a frame, and are forgotten in ${short(memory)} frames; ${exact ? "positions show no noise" : `positions are measured to ${short(noise)}`}`;
}

/** Rows that every command reads as tracks. */
function formatPlaces(places: readonly TrackPlace[], parent: ReadonlyMap<number, number>): string {
  const rows = places.map(({ frame, track, axes, deviation, filled }) => {
    return `${frame},${track},${axes.join(",")},${deviation ?? ""},${Number(filled)},${parent.get(track) ?? ""}\n`;
  });
  const isDeep = places.some(({ axes }) => axes.length === 3);
  return `frame,track,x,y,${isDeep ? "z," : ""}sd,filled,parent\n${rows.join("")}`;
}
