import { statSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import type { Frame } from "../../core/frame.js";
import { refuse, withFile } from "../refusal.js";
import { ByteReader } from "./byte-reader.js";
import { readNetpbm } from "./netpbm.js";
import { type Note, readPng } from "./png.js";
import { checkFinite, type SampleType } from "./samples.js";
import { type IMAGE_ENDINGS, imagesIn, isImage, namesIn, skippedNumbers } from "./sequence.js";
import { npyFrames, rawFrames, y4mFrames } from "./streams.js";
import { tiffFrames } from "./tiff.js";
import type { ImageOptions } from "./tiff-layout.js";

type ImageReader = (file: string, options: ImageOptions) => AsyncGenerator<Frame>;

const single = (read: (file: string, note?: Note) => Frame): ImageReader =>
  async function* (file, { note }) {
    yield read(file, note);
  };

const imageReaders: Readonly<Record<(typeof IMAGE_ENDINGS)[number], ImageReader>> = {
  ".png": single(readPng),
  ".pgm": single(readNetpbm),
  ".ppm": single(readNetpbm),
  ".pnm": single(readNetpbm),
  ".tif": tiffFrames,
  ".tiff": tiffFrames,
};

const streamReaders: Readonly<Record<string, (reader: ByteReader) => AsyncGenerator<Frame>>> = {
  ".npy": npyFrames,
  ".y4m": y4mFrames,
};

const FORMATS = "PNG, TIFF, PGM, PPM, .npy or .y4m";

/** Size and type of the pixels of raw frames (any file, or standard input), not needed for formats that state them; and how others are read. */
export interface RawOptions extends ImageOptions {
  readonly size?: { readonly width: number; readonly height: number };
  readonly type?: SampleType;
  /** Ends the reading of a stream with an error. */
  readonly signal?: AbortSignal;
}

/**
 * The frames of an image sequence in order, decoded one at a time: memory holds one frame however long the sequence.
 * @param path a folder or a glob (* and ? in its last part) of PNG, TIFF, PGM and PPM files in natural order (frame2 before frame10), an
 *   image, a TIFF file of many pages, a .npy array (T, H, W), a .y4m file, raw frames where `raw` gives size and type, or "-": y4m or raw on standard input
 * @throws InputError naming file, frame and remedy: damaged or cut short, frames of other size or type than the first, NaN
 */
export async function* readFrames(path: string, raw: RawOptions = {}): AsyncGenerator<Frame> {
  yield* alike(sequence(path, raw));
}

/** The frames of several image files in the order given, as readFrames gives those of a folder. */
export async function* readFrameFiles(files: readonly string[], options: ImageOptions = {}): AsyncGenerator<Frame> {
  yield* alike(decodeEach(files, options));
}

/**
 * How many frames readFrames would give: a folder's files are counted, other files are read once for it. null for a pipe, which cannot be
 * read twice.
 */
export async function countFrames(path: string, raw: RawOptions = {}): Promise<number | null> {
  if (path === "-") return null;
  const files = raw.size === undefined ? imagesIn(path) : null;
  if (files !== null && files.length > 0) return files.length;
  if (!withFile(path, () => statSync(path)).isFile()) return null;
  let count = 0;
  for await (const _ of sequence(path, raw)) count++;
  return count;
}

/** The one image in a file: readFrames of a sequence of length 1. */
export async function readFrame(path: string, raw: RawOptions = {}): Promise<Frame> {
  let only: Frame | null = null;
  for await (const frame of readFrames(path, raw)) {
    if (only !== null) refuse(path, "holds more than one frame", "name a file with one image");
    only = frame;
  }
  if (only === null) refuse(path, "holds no frame", "name a file with one image");
  return only;
}

function sequence(path: string, raw: RawOptions): AsyncGenerator<Frame> {
  if ((raw.size === undefined) !== (raw.type === undefined)) {
    refuse(path, "raw frames need both their size and their type", "give --size WxH and --type, or neither");
  }
  if (raw.size !== undefined && raw.type !== undefined) {
    const format = { ...raw.size, type: raw.type };
    return fromReader(path, (reader) => rawFrames(reader, format), raw.signal);
  }
  if (path === "-") return fromReader(path, y4mFrames, raw.signal);
  const files = imagesIn(path);
  if (files?.length === 0) {
    const names = namesIn(path) ?? [];
    const still = names.find((name) => STILLS.test(name));
    const film = names.map((name) => extname(name)).find((extension) => extension.toLowerCase() in streamReaders);
    const remedy =
      still !== undefined
        ? `convert its files: mogrify -format png '${join(dirname(still), `*${extname(still)}`)}'`
        : film !== undefined
          ? `give one ${film} file of all frames, or name its files one by one`
          : "check the path";
    refuse(path, "holds no PNG, TIFF, PGM or PPM file", remedy);
  }
  if (files !== null) return decodeEach(files, raw);
  const extension = extname(path).toLowerCase();
  if (isImage(extension)) return imageReaders[extension](path, raw);
  const read = streamReaders[extension];
  withFile(path, () => statSync(path));
  if (read === undefined) {
    const remedy = conversionOf(path) ?? `give ${FORMATS}, or --size and --type of raw frames`;
    refuse(path, `is no image by its ending ${JSON.stringify(extension)}`, remedy);
  }
  return fromReader(path, read, raw.signal);
}

/** The command that makes an image or a film one that is read; null where none is known to. */
function conversionOf(path: string): string | null {
  if (STILLS.test(path)) return `convert it: convert '${path}' '${path.replace(STILLS, ".png")}'`;
  return FILMS.test(path) ? `convert it: ffmpeg -i '${path}' '${path.replace(FILMS, ".y4m")}'` : null;
}

const STILLS = /\.(jpe?g|bmp|gif|webp)$/i;
const FILMS = /\.(mp4|m4v|mov|avi|mkv|webm|mpe?g)$/i;

/** Notes that files seem to be missing. */
export function noteSkipped(files: readonly string[], { note }: ImageOptions): void {
  const skipped = skippedNumbers(files);
  if (skipped !== null) note?.(skipped);
}

/** One frame of each file. */
async function* decodeEach(files: readonly string[], options: ImageOptions): AsyncGenerator<Frame> {
  noteSkipped(files, options);
  for (const file of files) {
    const extension = extname(file).toLowerCase();
    if (!isImage(extension))
      refuse(file, "is no image by its ending", conversionOf(file) ?? "give PNG, TIFF, PGM or PPM files");
    let frames = 0;
    for await (const frame of imageReaders[extension](file, options)) {
      if (frames++ > 0)
        refuse(file, "holds more than one page", "name a file of many pages alone, or files of one page each");
      yield frame;
    }
  }
}

async function* fromReader(
  path: string,
  frames: (reader: ByteReader) => AsyncGenerator<Frame>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Frame> {
  const reader = ByteReader.open(path, signal);
  try {
    yield* frames(reader);
  } finally {
    await reader.close();
  }
}

/** Refuses frames that differ from the first in size or type, and values that are not finite. */
async function* alike(frames: AsyncGenerator<Frame>): AsyncGenerator<Frame> {
  let first: Frame | null = null;
  for await (const frame of frames) {
    first ??= frame;
    if (frame.width !== first.width || frame.height !== first.height) {
      const sizes = `is ${frame.width} × ${frame.height} pixels, but ${first.place} ${first.width} × ${first.height}`;
      refuse(frame.place, sizes, "give frames of one size");
    }
    const [bits, firstBits] = [frame, first].map(({ samples }) => 8 * samples.BYTES_PER_ELEMENT);
    if (bits !== firstBits) {
      refuse(frame.place, `has ${bits} bits a sample, but ${first.place} ${firstBits}`, "give frames of one type");
    }
    checkFinite(frame);
    yield frame;
  }
}
