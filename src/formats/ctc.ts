/**
 * The form of the Cell Tracking Challenge (V. Ulman et al., "An objective comparison of cell-tracking algorithms", Nature Methods 14, 2017): a folder with
 * res_track.txt, a line "L B E P" for each label with its first and last frame and its parent's label or 0, and with mask000.tif, mask001.tif, …, in
 * which each pixel of a cell has its label. A label is in every frame from B to E, so a track that leaves out frames is several labels, each the
 * parent of the next.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { group, min, pairs } from "d3-array";
import { readFrames } from "../files/images/frames.js";
import { encodeGreyTiff } from "../files/images/tiff-writer.js";
import { refuse } from "../files/refusal.js";
import { readBytes } from "../files/text-file.js";
import type { PlacedTracks, ReadTracks } from "./tracks.js";

/** Radius of the disc that stands for a detection, in pixels: the least that is seen as a disc. */
const RADIUS = 2;
const MOST_LABELS = 65_535;
const MOST_SIDE = 20_000;
/** Every number up to the last frame's has a mask: more are time stamps. */
const MOST_MASKS = 100_000;

/** Frames of a track without a gap. */
interface Segment {
  readonly track: number;
  readonly label: number;
  readonly first: number;
  last: number;
  readonly parent: number;
}

/**
 * The files of the folder, the masks one by one. Detections in no track are left out.
 * @throws InputError for positions that are no pixels, and for what labels of 16 bits cannot hold
 */
export function* formatCtc(tracks: PlacedTracks): Generator<[string, string | Buffer]> {
  const { frame, x, y, z, track } = tracks;
  const axes = z === undefined ? [x, y] : [x, y, z];
  const tracked = [...track.keys()].filter((d) => track[d] >= 0);
  const inside = (at: number) => at >= -0.5 && at < MOST_SIDE;
  const outside = tracked.find((d) => !axes.every((axis) => inside(axis[d])));
  if (outside !== undefined) {
    const remedy = `give tracks whose x and y are pixels${z === undefined ? "" : ", and whose z are pages,"} from 0 to ${MOST_SIDE}`;
    const place = axes.map((axis) => axis[outside]).join(", ");
    refuse("--as ctc", `${place} in frame ${frame[outside]} is no pixel of an image`, remedy);
  }
  const latest = frame[frame.length - 1];
  if (latest >= MOST_MASKS) {
    const problem = `every number up to ${latest}, the last frame's, has a mask, and ${MOST_MASKS} are the most`;
    refuse("--as ctc", problem, "number the frames from 0, one by one");
  }
  const { segments, label } = segmentsOf(tracks);
  const [width, height] = [x, y].map(
    (values) => tracked.reduce((most, d) => Math.max(most, values[d]), 0) + RADIUS + 1,
  );
  yield [
    "res_track.txt",
    segments.map(({ label, first, last, parent }) => `${label} ${first} ${last} ${parent}\n`).join(""),
  ];
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  const pageOf = (d: number) => (z === undefined ? 0 : Math.round(z[d]));
  const pages = tracked.reduce((most, d) => Math.max(most, pageOf(d)), 0) + 1;
  if (pages * size.width * size.height > MOST_SIDE ** 2) {
    const problem = `volumes of ${size.width} × ${size.height} × ${pages} pixels are too large`;
    refuse("--as ctc", problem, "move the tracks towards 0, scale them, or use geff, trackmate, napari or csv");
  }
  const byFrame = group(tracked, (d) => frame[d]);
  const last = segments.reduce((latest, segment) => Math.max(latest, segment.last), 0);
  for (let number = 0; number <= last; number++) {
    const byPage = group(byFrame.get(number) ?? [], pageOf);
    const drawnPages = Array.from({ length: pages }, (_, page) => drawn(tracks, label, byPage.get(page) ?? [], size));
    yield [`mask${String(number).padStart(3, "0")}.tif`, encodeGreyTiff(size.width, size.height, ...drawnPages)];
  }
}

/** What the form changes: places within a pixel, and tracks that leave out frames. */
export function notesOfCtc(tracks: PlacedTracks): string[] {
  const { frame, x, y, z, track } = tracks;
  const axes = z === undefined ? [x, y] : [x, y, z];
  const off = [...track.keys()]
    .filter((d) => track[d] >= 0)
    .map((d) => Math.max(...axes.map((axis) => Math.abs(axis[d] - Math.round(axis[d])))));
  const rounded = off.filter((far) => far > 0);
  const most = rounded.reduce((least, far) => Math.max(least, far), 0);
  const { segments } = segmentsOf(tracks);
  const count = new Set(segments.map((segment) => segment.track)).size;
  const step = min(pairs([...new Set(frame)].sort((a, b) => a - b)), ([before, after]) => after - before) ?? 1;
  const why =
    step > 1 ? ` No frame follows the one before it: divide their numbers by ${step} for a label a track.` : "";
  return [
    ...(rounded.length === 0
      ? []
      : [
          `Places are whole pixels: ${rounded.length} of ${off.length} are rounded, by up to ${most.toFixed(2)} on an axis.`,
        ]),
    ...(segments.length === count
      ? []
      : [
          `${segments.length} labels stand for ${count} ${count === 1 ? "track" : "tracks"}: a track that misses frames, or goes on beside a daughter, is several, each the parent of the next.${why}`,
        ]),
  ];
}

/** The labels of the tracks, and that of each detection. A mother who goes on has another label once a daughter begins. */
function segmentsOf({ frame, track, parent }: PlacedTracks): { segments: Segment[]; label: Uint32Array } {
  const begins = new Map<number, number>();
  track.forEach((one, d) => {
    if (!begins.has(one)) begins.set(one, frame[d]);
  });
  const daughters = group(parent.keys(), (one) => parent.get(one));
  const divides = (one: number, from: number, to: number) =>
    daughters.get(one)?.some((daughter) => from < Number(begins.get(daughter)) && Number(begins.get(daughter)) <= to);
  const segments: Segment[] = [];
  const label = new Uint32Array(track.length);
  const latest = new Map<number, Segment>();
  track.forEach((one, d) => {
    if (one < 0) return;
    let segment = latest.get(one);
    if (segment === undefined || segment.last < frame[d] - 1 || divides(one, segment.last, frame[d])) {
      const before = segment ?? latest.get(parent.get(one) ?? -1);
      const mother = (before?.first === frame[d] ? before.parent : before?.label) ?? 0;
      segment = { track: one, label: segments.length + 1, first: frame[d], last: frame[d], parent: mother };
      segments.push(segment);
      latest.set(one, segment);
    }
    segment.last = frame[d];
    label[d] = segment.label;
  });
  if (segments.length > MOST_LABELS) {
    const problem = `${segments.length} tracks without gaps are more than the ${MOST_LABELS} labels of 16 bits`;
    refuse("--as ctc", problem, "export a part of the recording, or use another format");
  }
  return { segments, label };
}

/** One mask: the middles of detections, and around them what is free of a disc on both sides, so that the middles of the labels are these. */
function drawn(
  { x, y, frame }: PlacedTracks,
  label: Uint32Array,
  detections: readonly number[],
  { width, height }: { readonly width: number; readonly height: number },
): Uint16Array {
  const pixels = new Uint16Array(width * height);
  const places = detections.map((d) => ({ d, column: Math.round(x[d]), row: Math.round(y[d]) }));
  for (const { d, column, row } of places) {
    const at = row * width + column;
    if (pixels[at] > 0) {
      const remedy = "scale the positions, or use a format without masks";
      refuse("--as ctc", `two tracks of frame ${frame[d]} are in pixel ${column}, ${row}`, remedy);
    }
    pixels[at] = label[d];
  }
  const isFree = (column: number, row: number) =>
    column >= 0 && column < width && row >= 0 && row < height && pixels[row * width + column] === 0;
  for (const { d, column, row } of places) {
    for (let dy = 0; dy <= RADIUS; dy++) {
      for (let dx = dy === 0 ? 1 : -RADIUS; dx <= RADIUS; dx++) {
        if (dx * dx + dy * dy > RADIUS * RADIUS) continue;
        if (!isFree(column + dx, row + dy) || !isFree(column - dx, row - dy)) continue;
        for (const side of [1, -1]) pixels[(row + side * dy) * width + column + side * dx] = label[d];
      }
    }
  }
  return pixels;
}

const TABLES = ["res_track.txt", "man_track.txt"];

/** Whether a folder is of this form. */
export function isCtc(folder: string): boolean {
  return TABLES.some((name) => existsSync(join(folder, name)));
}

/**
 * Tracks of such a folder, at the middles of their labels; labels that go on as the one child of another are the same track. Masks of several pages are volumes, whose z counts pages.
 * @param zScale length of a page's thickness in pixels; 0 leaves z out
 * @throws InputError naming file and line where the table and the masks are no lineage
 */
export async function readCtc(folder: string, zScale = 1): Promise<ReadTracks> {
  const table = readTable(join(folder, TABLES.find((name) => existsSync(join(folder, name))) as string));
  const masks = readdirSync(folder)
    .flatMap((name) => {
      const number = /^(?:mask|man_track)(\d+)\.tiff?$/i.exec(name)?.[1];
      return number === undefined ? [] : [{ name, number: Number(number) }];
    })
    .sort((a, b) => a.number - b.number);
  if (masks.length === 0) refuse(folder, "has no masks", "name a folder with mask000.tif, mask001.tif, …");
  const found: { frame: number; x: number; y: number; z: number; track: number }[] = [];
  for (const { name, number } of masks) {
    for (const [label, { x, y, z, count }] of await middlesOf(join(folder, name))) {
      const row = table.get(label);
      const file = join(folder, name);
      if (row === undefined) refuse(file, `has label ${label}, of which the table says nothing`, "add it");
      if (number < row.first || number > row.last)
        refuse(file, `has label ${label}, which ${row.place} has in frames ${row.first} to ${row.last}`, CORRECT);
      found.push({ frame: number, x: x / count, y: y / count, z: (zScale * z) / count, track: row.track });
    }
  }
  const stated = [...table.values()].reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const without = stated - found.length;
  const column = (name: "frame" | "x" | "y" | "z") => Float64Array.from(found, (one) => one[name]);
  return {
    ...{ frame: column("frame"), x: column("x"), y: column("y") },
    ...(found.some(({ z }) => z !== 0) && { z: column("z") }),
    track: Int32Array.from(found, ({ track }) => track),
    parent: new Map([...table.values()].flatMap(({ track, mother }) => (mother < 0 ? [] : [[track, mother]]))),
    notes: without === 0 ? [] : [`In ${without} of ${stated} frames of labels no mask has a pixel of them.`],
  };
}

const CORRECT = "correct the table or the mask";

/** What the table says of each label: its track, the mother's where a division begins it, or −1, its frames, and the line. */
function readTable(file: string) {
  const rows = new Map<number, { label: number; first: number; last: number; parent: number; place: string }>();
  for (const [n, line] of readBytes(file).toString("utf8").split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const place = `${file}:${n + 1}`;
    const cells = line.trim().split(/\s+/).map(Number);
    if (cells.length !== 4 || !cells.every((cell) => Number.isSafeInteger(cell) && cell >= 0))
      refuse(place, "is not four whole numbers", "give label, first frame, last frame and parent");
    const [label, first, last, parent] = cells;
    if (last < first) refuse(place, `has label ${label} end in frame ${last}, before ${first}`, "correct its frames");
    if (rows.has(label)) refuse(place, `has label ${label} again`, "keep one of its lines");
    rows.set(label, { label, first, last, parent, place });
  }
  const children = group(rows.values(), ({ parent }) => parent);
  const table = new Map<number, { track: number; mother: number; first: number; last: number; place: string }>();
  for (const { label, first, last, parent, place } of [...rows.values()].sort((a, b) => a.first - b.first)) {
    const before = rows.get(parent);
    if (parent !== 0 && (before === undefined || before.last >= first)) {
      const why = before === undefined ? "which has no line" : `which is there until frame ${before.last}`;
      refuse(
        place,
        `has label ${label} begin in frame ${first} out of ${parent}, ${why}`,
        "correct its parent, or give 0",
      );
    }
    const mother = table.get(parent)?.track ?? -1;
    const goesOn = mother >= 0 && children.get(parent)?.length === 1;
    table.set(label, { track: goesOn ? mother : label, mother: goesOn ? -1 : mother, first, last, place });
  }
  return table;
}

async function middlesOf(file: string) {
  const middles = new Map<number, { x: number; y: number; z: number; count: number }>();
  let page = 0;
  // Slices are pages, and labels have whatever colours.
  for await (const { width, samples } of readFrames(file, { note: () => {} })) {
    samples.forEach((label: number, at: number) => {
      if (label === 0) return;
      const sum = middles.get(label) ?? { x: 0, y: 0, z: 0, count: 0 };
      sum.x += at % width;
      sum.y += Math.floor(at / width);
      sum.z += page;
      sum.count++;
      middles.set(label, sum);
    });
    page++;
  }
  return middles;
}
