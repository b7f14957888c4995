import { basename } from "node:path";
import { InputError } from "../core/errors.js";
import { readTable } from "../files/csv-table.js";
import { plainText, readBytes } from "../files/text-file.js";
import { writeWhole } from "../files/whole-file.js";
import type { DeviceChoice } from "../gpu/adapter.js";
import { KLT_SELECTION_DEFAULTS } from "../pixels/features/corners.js";
import { detectCorners } from "../pixels/features/detect-corners.js";
import { KLT_DEFAULTS, KLT_STATUS, type KltTracks } from "../pixels/features/klt-track.js";
import { trackKlt } from "../pixels/features/track-klt.js";
import { motionSvg } from "../report/features-svg.js";
import { openDevice } from "../run/device.js";
import { readFeatureImage } from "../run/features/image.js";
import { greyPicture } from "../run/underlay.js";
import { notesOnce, printText, wroteText } from "./print.js";

export interface KltFlags {
  readonly output?: string;
  readonly points?: string;
  readonly features: number;
  readonly window: number;
  readonly levels: number;
  readonly symmetric?: true;
  readonly oneWay?: true;
  readonly affine?: number;
  readonly picture?: string;
  readonly device: DeviceChoice;
  readonly json?: true;
}

/** `rmap match A B --klt`: rows point,frame,x,y,status,residual of both frames; status 1 where the point was tracked. */
export async function trackPoints(a: string, b: string, flags: KltFlags): Promise<void> {
  if (flags.window % 2 === 0) throw new InputError(`--window ${flags.window}: give an odd number`);
  const note = notesOnce();
  const [first, second] = [await readFeatureImage(a, note), await readFeatureImage(b, note)];
  if (first.width !== second.width || first.height !== second.height) {
    const sizes = [first, second].map(({ width, height }) => `${width} × ${height}`);
    throw new InputError(`${b}: is ${sizes[1]} pixels, but ${a} ${sizes[0]}; give images of one size`);
  }
  const device = await openDevice(flags.device);
  try {
    const { session } = device;
    const corners = { ...KLT_SELECTION_DEFAULTS, most: flags.features };
    const points =
      flags.points === undefined
        ? (await detectCorners(first, corners, { device: session })).corners
        : readPoints(flags.points);
    const { window, levels, symmetric = false } = flags;
    const bothWays = flags.oneWay ? null : 1;
    const tracks = await trackKlt(first, second, points, {
      ...KLT_DEFAULTS,
      window,
      levels,
      symmetric,
      bothWays,
      affine: flags.affine ?? null,
      device: session,
    });
    const count = (of: number) => tracks.status.reduce((sum, status) => sum + Number(status === of), 0);
    const counts = Object.fromEntries(Object.entries(KLT_STATUS).map(([name, status]) => [name, count(status)]));
    if (flags.output !== undefined) {
      const rows = Array.from(points.x, (x, k) => {
        const here = `${k},0,${x},${points.y[k]},1,\n`;
        const lost = tracks.status[k] !== KLT_STATUS.tracked;
        return `${here}${k},1,${tracks.x[k]},${tracks.y[k]},${lost ? 0 : 1},${lost ? "" : tracks.residual[k]}\n`;
      });
      writeWhole(flags.output, `point,frame,x,y,status,residual\n${rows.join("")}`);
    }
    if (flags.picture !== undefined) {
      const title = `${basename(a)} to ${basename(b)}\n${counts.tracked} of ${points.x.length} points tracked, ${device.actual}`;
      writeWhole(flags.picture, motionSvg({ title, image: greyPicture(first), ...motionOf(points, tracks) }));
    }
    if (flags.json) {
      const ran = { requested: flags.device, actual: device.actual };
      printText(`${JSON.stringify({ device: ran, points: points.x.length, ...counts })}\n`);
    } else {
      const lost = Object.entries(counts)
        .slice(1)
        .map(([name, n]) => `${n} ${name}`);
      printText(
        `${counts.tracked} of ${points.x.length} points tracked (${lost.join(", ")}), ${device.actual}${wroteText(flags.output, flags.picture)}\n`,
      );
    }
  } finally {
    await device.close();
  }
}

/** Where the points that were tracked are in both images. */
function motionOf({ x, y }: { x: Float32Array; y: Float32Array }, tracks: KltTracks) {
  const tracked = [...tracks.status.keys()].filter((k) => tracks.status[k] === KLT_STATUS.tracked);
  const take = (values: Float32Array) => Float32Array.from(tracked, (k) => values[k]);
  return { x: take(x), y: take(y), u: take(tracks.x), v: take(tracks.y) };
}

function readPoints(file: string): { x: Float32Array; y: Float32Array } {
  const [x, y]: [number[], number[]] = [[], []];
  const rule = { below: 1e9, remedy: "give pixels" };
  readTable(file, plainText(file, readBytes(file)), { required: ["x", "y"], optional: [] }, (row) => {
    x.push(row.number("x", rule));
    y.push(row.number("y", rule));
  });
  return { x: Float32Array.from(x), y: Float32Array.from(y) };
}
