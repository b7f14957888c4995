/** TIFF, BigTIFF and OME-TIFF: the pages of a file are the frames of a sequence. Decoded by geotiff, page by page. */
import { statSync } from "node:fs";
import { InputError } from "../../core/errors.js";
import type { Frame } from "../../core/frame.js";
import { needed } from "../../core/optional-package.js";
import { explained, refuse, withFile } from "../refusal.js";
import type { Note } from "./png.js";
import { checkSize } from "./samples.js";
import { type ImageOptions, type Layout, readLayout } from "./tiff-layout.js";

const DAMAGED = "the file is damaged or cut short: copy it again";

/** The page of a reduced size that some programs add, by bit 0 of NewSubfileType. */
const REDUCED = 1;

type Tiff = Awaited<ReturnType<typeof import("geotiff")["fromFile"]>>;
type Page = Awaited<ReturnType<Tiff["getImage"]>>;

/**
 * The frames of a TIFF file: grey of 8, 16 or 32 bits, or RGB, in any compression but old JPEG. Memory holds one page.
 * @throws InputError for z-stacks, for several channels of which none is chosen, and for files that are damaged or cut short
 */
export async function* tiffFrames(file: string, { note, channel }: ImageOptions = {}): AsyncGenerator<Frame> {
  const bytes = withFile(file, () => statSync(file)).size;
  const { fromFile } = await needed(`${file}: a TIFF file`, ["geotiff"], () => import("geotiff"));
  const tiff = await decoding(file, () => fromFile(file));
  try {
    const first = await decoding(file, () => tiff.getImage(0));
    const description = await decoding(file, () => first.fileDirectory.loadValue("ImageDescription"));
    const layout = readLayout(file, typeof description === "string" ? description : "", { note, channel });
    let plane = 0;
    const seen = new Set<number>();
    for (let number = 0, next = 1; next !== 0; number++) {
      const page = number === 0 ? first : await decoding(file, () => tiff.getImage(number));
      const place = `${file}, page ${number + 1}`;
      if (!isReduced(page)) {
        if (layout.isRead(plane)) yield await readPage(place, page, bytes, note);
        plane++;
      }
      next = page.fileDirectory.nextIFDByteOffset;
      if (next >= bytes || seen.has(next)) refuse(place, `names byte ${next} of ${bytes} as its next page`, DAMAGED);
      seen.add(next);
    }
    requirePlanes(file, layout, plane);
  } finally {
    await tiff.close();
  }
}

const isReduced = (page: Page): boolean => (Number(page.fileDirectory.getValue("NewSubfileType") ?? 0) & REDUCED) !== 0;

function requirePlanes(file: string, { planes }: Layout, found: number): void {
  if (planes === null || planes === found) return;
  refuse(
    file,
    `its description speaks of ${planes} planes, but it holds ${found}`,
    "save all of them in one file, as TIFF of up to 4 GB or as BigTIFF",
  );
}

/** One page, decoded; whatever the decoder throws is a refusal of it. */
async function readPage(place: string, page: Page, bytes: number, note: Note | undefined): Promise<Frame> {
  const [width, height, channels] = [page.getWidth(), page.getHeight(), page.getSamplesPerPixel()];
  checkSize(place, width, height, 16 * Math.max(1, channels));
  requireSamples(place, page, note);
  await requireBlocks(place, page, bytes);
  const raster = await decoding(place, () => page.readRasters({ interleave: true }));
  const isLong = raster instanceof Int32Array || raster instanceof Uint32Array;
  const isFloat = isLong || raster instanceof Int16Array || raster instanceof Int8Array;
  const samples = isFloat ? Float32Array.from(raster) : raster;
  const changed = isLong ? raster.findIndex((value, n) => value !== samples[n]) : -1;
  if (isLong && changed >= 0) refuse(place, `has ${raster[changed]}, which f32 does not hold exactly`, AS_GREY);
  if (!(samples instanceof Uint8Array || samples instanceof Uint16Array || samples instanceof Float32Array))
    refuse(place, `has ${page.getBitsPerSample()}-bit samples`, AS_GREY);
  return { width, height, channels: channels === 3 ? 3 : 1, samples, place };
}

const AS_GREY = "save it as grey of 8, 16 or 32 bits";

/** Refuses what would be read as something else than it is. */
function requireSamples(place: string, page: Page, note: Note | undefined): void {
  const bits = page.getBitsPerSample() || 1;
  const isFloat = page.getSampleFormat() === 3;
  if (bits !== 8 && bits !== 16 && bits !== 32) refuse(place, `has ${bits}-bit samples`, AS_GREY);
  if (bits === 16 && isFloat) refuse(place, "has 16-bit floating-point samples", AS_GREY);
  const channels = page.getSamplesPerPixel();
  if (channels !== 1 && channels !== 3) refuse(place, `has ${channels} samples a pixel`, "save it as grey or RGB");
  const meaning = Number(page.fileDirectory.getValue("PhotometricInterpretation") ?? 1);
  if (meaning === 0) refuse(place, "says that 0 is white", "invert it, and save it with 0 as black");
  if (meaning > 3) refuse(place, `has the colour space number ${meaning}`, "save it as grey or RGB");
  if (meaning !== 3) return;
  const palette = "has a palette; its numbers are taken as grey values, without the palette";
  if (note === undefined) refuse(place, "has a palette", "save it as grey or RGB");
  note(`${place.replace(/, page \d+$/, "")}: ${palette}.`);
}

/** Refuses strips and tiles that lie beyond the end of the file, which the decoder would read as zeros. */
async function requireBlocks(place: string, page: Page, bytes: number): Promise<void> {
  const kind = page.isTiled ? "Tile" : "Strip";
  const names = [`${kind}Offsets`, `${kind}ByteCounts`] as const;
  const isLate = names.map((name) => isDeferred(page, name));
  const [offsets, sizes] = await decoding(place, () => Promise.all(names.map((name) => listOf(page, name))));
  const [across, down] = [page.getWidth() / page.getTileWidth(), page.getHeight() / page.getTileHeight()];
  const planes = page.planarConfiguration === 2 ? page.getSamplesPerPixel() : 1;
  const count = Math.ceil(across) * Math.ceil(down) * planes;
  const found = Math.min(offsets.length, sizes.length);
  if (!(found >= count)) refuse(place, `has the places of ${found} of ${count} pieces of its pixels`, DAMAGED);
  const outside = () => {
    for (let n = 0; n < count; n++) if (!(sizes[n] > 0 && Number(offsets[n]) + Number(sizes[n]) <= bytes)) return n;
    return -1;
  };
  // What geotiff 3.0.5 reads late of big-endian files has its bytes the wrong way round, in the array that it uses later.
  if (!page.littleEndian && outside() >= 0) {
    if (isLate[0]) swapBytes(offsets);
    if (isLate[1]) swapBytes(sizes);
  }
  const n = outside();
  if (n < 0) return;
  refuse(place, `has ${sizes[n]} bytes of pixels from byte ${offsets[n]} on, and the file ${bytes} bytes`, DAMAGED);
}

type ListName = `${"Tile" | "Strip"}${"Offsets" | "ByteCounts"}`;

async function listOf(page: Page, name: ListName): Promise<ArrayLike<number | bigint>> {
  const value: number | ArrayLike<number | bigint> = (await page.fileDirectory.loadValue(name)) ?? [];
  return typeof value === "number" ? [value] : value;
}

/** Whether the decoder has yet to read a list, which it says by an error. */
function isDeferred(page: Page, name: ListName): boolean {
  try {
    page.fileDirectory.getValue(name as never);
    return false;
  } catch {
    return true;
  }
}

function swapBytes(values: unknown): void {
  if (values instanceof Uint32Array) Buffer.from(values.buffer, values.byteOffset, values.byteLength).swap32();
  if (values instanceof Uint16Array) Buffer.from(values.buffer, values.byteOffset, values.byteLength).swap16();
}

async function decoding<T>(place: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof InputError) throw error;
    const refusal = explained(place, error);
    if (refusal instanceof InputError) throw refusal;
    refuse(place, `cannot be read as TIFF (${error instanceof Error ? error.message : error})`, DAMAGED);
  }
}
