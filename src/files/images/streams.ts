/** Formats that hold many frames in one file or pipe: NumPy arrays, YUV4MPEG2 and raw pixels. */
import type { Frame } from "../../core/frame.js";
import { parseNpyHeader } from "../npy-header.js";
import { refuse, shown } from "../refusal.js";
import type { ByteReader } from "./byte-reader.js";
import { checkSize, SAMPLE_BYTES, type SampleType, samplesOf } from "./samples.js";

const CUT_SHORT = "the input is cut short: copy it again";
const WRONG_SIZE = "check --size and --type, or copy the input again if it is cut short";

const npyTypes: Readonly<Record<string, SampleType>> = { "|u1": "u8", "<u2": "u16le", "<f4": "f32le" };
const npyRemedy = 'save numpy.ascontiguousarray(a, dtype="<f4") (or "u1", "<u2") with the axes frame, row, column';

/** Frames of a NumPy array (T, H, W), or one of an array (H, W), of u8, u16 or f32. */
export async function* npyFrames(reader: ByteReader): AsyncGenerator<Frame> {
  const { place } = reader;
  const { dtype, fortranOrder, shape } = await npyHeader(reader);
  const type = npyTypes[dtype];
  if (type === undefined) refuse(place, `has elements of type ${shown(dtype)}`, npyRemedy);
  if (fortranOrder) refuse(place, "is in Fortran order", npyRemedy);
  if (shape.length !== 2 && shape.length !== 3) refuse(place, `has the shape (${shape.join(", ")})`, npyRemedy);
  const [height, width] = shape.slice(-2);
  const count = shape.length === 3 ? shape[0] : 1;
  if (count === 0) refuse(place, "holds no frame", npyRemedy);
  checkSize(place, width, height);
  for (let frame = 0; frame < count; frame++) {
    yield await rawFrame(reader, shape.length === 3 ? `${place}, frame ${frame}` : place, { width, height, type });
  }
  if (!(await reader.ended())) refuse(place, "goes on after its last frame", "save the array alone with numpy.save");
}

/** @returns type, order and shape of the array; shape of an image sequence is (T, H, W) */
async function npyHeader(reader: ByteReader) {
  const start = await reader.read(8);
  if (start.toString("latin1", 0, 6) !== "\x93NUMPY") {
    refuse(reader.place, "is not a .npy file", "save it with numpy.save");
  }
  const prefix = start[6] === 1 ? 2 : 4;
  const bytes = await reader.read(prefix);
  if (bytes.length < prefix) refuse(reader.place, `ends after ${start.length + bytes.length} bytes`, CUT_SHORT);
  const length = bytes.readUIntLE(0, prefix);
  if (length > 2 ** 16) refuse(reader.place, `has a header of ${length} bytes`, "save it with numpy.save");
  return parseNpyHeader(reader.place, (await reader.read(length)).toString("latin1"));
}

export interface RawFormat {
  readonly width: number;
  readonly height: number;
  readonly type: SampleType;
}

/** Frames of pixels alone, row by row, one after the other. */
export async function* rawFrames(reader: ByteReader, format: RawFormat): AsyncGenerator<Frame> {
  checkSize(reader.place, format.width, format.height);
  for (let frame = 0; frame === 0 || !(await reader.ended()); frame++) {
    yield await rawFrame(reader, `${reader.place}, frame ${frame}`, format, WRONG_SIZE);
  }
}

async function rawFrame(
  reader: ByteReader,
  place: string,
  { width, height, type }: RawFormat,
  remedy = CUT_SHORT,
): Promise<Frame> {
  const expected = width * height * SAMPLE_BYTES[type];
  const bytes = await reader.read(expected);
  if (bytes.length < expected) refuse(place, `ends after ${bytes.length} of ${expected} bytes`, remedy);
  return { width, height, channels: 1, samples: samplesOf(bytes, type), place };
}

/** Samples of both chroma planes (and of alpha) per frame, by the colour space's name without its depth. */
const chroma: Readonly<Record<string, (width: number, height: number) => number>> = {
  mono: () => 0,
  "411": (w, h) => 2 * Math.ceil(w / 4) * h,
  "420": (w, h) => 2 * Math.ceil(w / 2) * Math.ceil(h / 2),
  "422": (w, h) => 2 * Math.ceil(w / 2) * h,
  "444": (w, h) => 2 * w * h,
  "444alpha": (w, h) => 3 * w * h,
};

/**
 * Luma of the frames of a YUV4MPEG2 stream, 8 to 16 bits, as `ffmpeg -f yuv4mpegpipe` writes it. Interlaced video is refused:
 * the lines of a frame are of two times. https://wiki.multimedia.cx/index.php/YUV4MPEG2
 */
export async function* y4mFrames(reader: ByteReader): AsyncGenerator<Frame> {
  const { place } = reader;
  const remedy = "make it with ffmpeg -i FILE -f yuv4mpegpipe -";
  const header = await reader.line(4096);
  if (header === null) refuse(place, "is empty", remedy);
  const [magic, ...fields] = header.split(" ");
  if (magic !== "YUV4MPEG2") refuse(place, `starts with ${shown(magic)}, not YUV4MPEG2`, remedy);
  const field = (letter: string) => fields.find((text) => text.startsWith(letter))?.slice(1);
  const side = (letter: string) => {
    const text = field(letter);
    if (text === undefined) refuse(place, `has no ${letter} in its header ${shown(header)}`, remedy);
    if (!/^\d+$/.test(text)) refuse(place, `has ${shown(letter + text)} in its header, which is no number`, remedy);
    return Number(text);
  };
  const [width, height] = [side("W"), side("H")];
  checkSize(place, width, height);
  const interlacing = field("I") ?? "p";
  if (interlacing !== "p" && interlacing !== "?") {
    refuse(place, `is interlaced (I${interlacing})`, "deinterlace it with ffmpeg -vf yadif");
  }
  const space = field("C") ?? "420";
  const [, name = "", bits = "8"] = /^(mono|420|444alpha|4\d\d)(?:jpeg|paldv|mpeg2|p?(\d+))?$/.exec(space) ?? [];
  if (!(name in chroma) || Number(bits) < 8 || Number(bits) > 16) {
    refuse(place, `has the colour space ${shown(space)}`, `${remedy.slice(0, -2)} -pix_fmt yuv420p -`);
  }
  const type = Number(bits) > 8 ? "u16le" : "u8";
  const rest = chroma[name](width, height) * SAMPLE_BYTES[type];
  for (let frame = 0; ; frame++) {
    const line = await reader.line(4096);
    const here = `${place}, frame ${frame}`;
    if (line === null) {
      if (frame === 0) refuse(place, "holds no frame", remedy);
      return;
    }
    if (line !== "FRAME" && !line.startsWith("FRAME "))
      refuse(here, `starts with ${shown(line)}, not FRAME`, CUT_SHORT);
    const image = await rawFrame(reader, here, { width, height, type });
    const skipped = (await reader.read(rest)).length;
    if (skipped < rest) refuse(here, `ends after ${skipped} of ${rest} bytes of colour`, CUT_SHORT);
    yield image;
  }
}
