import { basename } from "node:path";
import { InputError } from "../../core/errors.js";
import { readTable } from "../../files/csv-table.js";
import { readBytes } from "../../files/text-file.js";
import { writeWhole } from "../../files/whole-file.js";
import { detectCorners, KLT_SELECTION_DEFAULTS } from "../../pixels/features/corners.js";
import { trackKlt } from "../../pixels/features/klt.js";
import { KLT_DEFAULTS, KLT_LEVELS, KLT_STATUS, type KltTracks } from "../../pixels/features/klt-options.js";
import type { Plane } from "../../pixels/image.js";
import { motionSvg } from "../../report/features-svg.js";
import { type Device, onDevice, ranOn } from "../../run/device.js";
import { readFeatureImage } from "../../run/features/image.js";
import { greyPicture } from "../../run/underlay.js";
import { type FlagsOf, type Method, type Outcome, option, toggle } from "../declaration/declaration.js";
import { inputFile } from "../options/files.js";
import { top } from "../options/images.js";
import { integer, oddSide, positive } from "../options/values.js";
import { notesOnce, whyText, wroteText } from "../print.js";
import type { MatchFlags, Pair } from "./common.js";

const options = {
  points: option("--points <file>", "track these (CSV: x,y) instead of corners", inputFile),
  top: top("corners").or(1000).formerly("--features"),
  patch: option("--patch <pixels>", "side of the patch around a point that is compared, odd", oddSide(3, 61))
    .or(KLT_DEFAULTS.window)
    .formerly("--window"),
  levels: option("--levels <n>", "levels of the pyramid", integer(1, 8)).or(KLT_LEVELS),
  symmetric: toggle("--symmetric", "take the gradients of both images (Sinha)"),
  light: toggle("--light", "let each patch be lighter or darker in the second image"),
  affine: option("--affine <grey>", "lose points whose patch an affine fit leaves further off, rms", positive),
  oneWay: toggle("--one-way", "do not track back to check"),
};

type KltFlags = MatchFlags & FlagsOf<typeof options>;
type Points = { readonly x: Float32Array; readonly y: Float32Array };

/** Writes rows point,frame,x,y,status,residual of both frames; status is 1 where the point was tracked. */
export const kltMatching: Method = {
  summary: "KLT's corners of the first image, tracked into the second",
  options,
  examples: ["rmap match first.png second.png --method klt --levels 5 -o tracks.csv"],
  async run(pair: Pair, flags: KltFlags) {
    const [first, second] = await imagesOf(pair);
    return onDevice(flags.device, (device) => trackPoints(pair, first, second, flags, device));
  },
};

async function imagesOf({ a, b }: Pair): Promise<[Plane, Plane]> {
  const note = notesOnce();
  const [first, second] = [await readFeatureImage(a, note), await readFeatureImage(b, note)];
  if (first.width === second.width && first.height === second.height) return [first, second];
  const sizes = [first, second].map(({ width, height }) => `${width} × ${height}`);
  throw new InputError(`${b}: is ${sizes[1]} pixels, but ${a} ${sizes[0]}; give images of one size`);
}

async function trackPoints(
  { a, b }: Pair,
  first: Plane,
  second: Plane,
  flags: KltFlags,
  device: Device,
): Promise<Outcome> {
  const { session, actual } = device;
  const corners = { ...KLT_SELECTION_DEFAULTS, most: flags.top };
  const points =
    flags.points === undefined
      ? (await detectCorners(first, corners, { device: session })).corners
      : readPoints(flags.points);
  const tracks = await trackKlt(first, second, points, {
    ...KLT_DEFAULTS,
    window: flags.patch,
    levels: flags.levels,
    symmetric: flags.symmetric === true,
    light: flags.light === true,
    bothWays: flags.oneWay ? null : 1,
    affine: flags.affine ?? null,
    device: session,
  });
  if (flags.output !== undefined) writeWhole(flags.output, formatTracks(points, tracks));
  const count = (of: number) => tracks.status.reduce((sum, status) => sum + Number(status === of), 0);
  const counts = Object.fromEntries(Object.entries(KLT_STATUS).map(([name, status]) => [name, count(status)]));
  const tracked = `${counts.tracked} of ${points.x.length} points tracked`;
  if (flags.picture !== undefined) {
    const title = `${basename(a)} to ${basename(b)}\n${tracked}, ${actual}`;
    writeWhole(flags.picture, motionSvg({ title, image: greyPicture(first), ...motionOf(points, tracks) }));
  }
  const lost = Object.entries(counts)
    .slice(1)
    .map(([name, n]) => `${n} ${name}`);
  return {
    text: `${tracked} (${lost.join(", ")}), ${actual}${wroteText(flags.output, flags.picture)}\n${whyText(device)}`,
    json: { device: ranOn(device), points: points.x.length, ...counts },
  };
}

function formatTracks(points: Points, tracks: KltTracks): string {
  const rows = Array.from(points.x, (x, k) => {
    const lost = tracks.status[k] !== KLT_STATUS.tracked;
    const there = `${tracks.x[k]},${tracks.y[k]},${lost ? 0 : 1},${lost ? "" : tracks.residual[k]}`;
    return `${k},0,${x},${points.y[k]},1,\n${k},1,${there}\n`;
  });
  return `point,frame,x,y,status,residual\n${rows.join("")}`;
}

/** Where the points that were tracked are in both images. */
function motionOf({ x, y }: Points, tracks: KltTracks) {
  const tracked = [...tracks.status.keys()].filter((k) => tracks.status[k] === KLT_STATUS.tracked);
  const at = (values: Float32Array) => Float32Array.from(tracked, (k) => values[k]);
  return { x: at(x), y: at(y), u: at(tracks.x), v: at(tracks.y) };
}

function readPoints(file: string): Points {
  const [x, y]: [number[], number[]] = [[], []];
  const rule = { below: 1e9, remedy: "give pixels" };
  readTable(file, readBytes(file), { required: ["x", "y"], optional: [] }, (row) => {
    x.push(row.number("x", rule));
    y.push(row.number("y", rule));
  });
  return { x: Float32Array.from(x), y: Float32Array.from(y) };
}
