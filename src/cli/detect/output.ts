/** Writes the results of `rmap detect` and describes them. */
import { basename, dirname, extname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { InputError } from "../../core/errors.js";
import type { Frame } from "../../core/frame.js";
import { inOrder } from "../../core/in-order.js";
import { refuse } from "../../files/refusal.js";
import { ensureFolder, writeWhole } from "../../files/whole-file.js";
import type { GpuSession } from "../../gpu/session.js";
import type { Plane } from "../../pixels/image.js";
import { type KeypointPicture, keypointsSvg } from "../../report/features-svg.js";
import type { PictureImage } from "../../report/track-picture.js";
import { type DetectImage, detectImages, filesOf } from "../../run/detect-images.js";
import { openDevice, ranOn } from "../../run/device.js";
import { featureImage, type Luma } from "../../run/features/image.js";
import { greyPicture } from "../../run/underlay.js";
import type { Outcome } from "../declaration/declaration.js";
import { refuseShared } from "../options/files.js";
import { many, notesOnce, whyText, wroteText } from "../print.js";
import { Progress } from "../progress.js";
import type { CommonFlags } from "./method.js";

/** The result of a detector for one image. */
export interface Found {
  /** How much was found, as in "656 keypoints at 525 places". */
  readonly summary: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** The content of --output. */
  readonly content: string | Uint8Array;
  /** Places that --picture draws, of the methods that have the option. */
  readonly marks?: Pick<KeypointPicture, "x" | "y" | "sigma" | "angle" | "diameter">;
}

/** Options that some methods have. */
interface EachFlags {
  readonly picture?: string | undefined;
  readonly response?: string | undefined;
  readonly luma?: Luma;
  readonly channel?: number | undefined;
}

export interface Detector {
  /** Of files in the output folder, with the dot. */
  readonly extension: string;
  /** Whether it has kernels; without them it runs on the CPU and refuses other devices. */
  readonly kernels: boolean;
  /** What is found in several images is called so in one table: their contents are CSV with the column frame, which join. */
  readonly points?: string;
  /** Images at a time where the CPU runs; 1 unless given. */
  readonly threads?: number;
  /** How it takes images, and draws them; unless given, as grey levels of 0 to 255. */
  readonly plane?: (frame: Frame) => Plane;
  readonly underlay?: (image: Plane) => PictureImage;
}

type Detect = (image: Plane, session: GpuSession | null, at: DetectImage) => Promise<Found>;

/**
 * Runs `detect` on every image and writes its results: to the file --output, or for several images to files in that folder, or for a detector of points to one
 * table if --output ends in .csv.
 */
export async function detectEach(
  inputs: readonly string[],
  flags: CommonFlags & EachFlags,
  detector: Detector,
  detect: Detect,
): Promise<Outcome> {
  const { output } = flags;
  const files = filesOf(inputs);
  const isTable = detector.points !== undefined && output !== undefined && extname(output) === ".csv";
  refuseSharedOutputs(files, flags, detector.extension, isTable);
  if (!detector.kernels && flags.device !== "auto" && flags.device !== "cpu") {
    throw new InputError(`--device ${flags.device}: this method has no kernels; use --device cpu`);
  }
  if (output !== undefined) ensureFolder(dirname(output));
  const device = await openDevice(detector.kernels ? flags.device : "cpu");
  const ran = `${device.actual} ${device.session === null ? "f32 images, f64 sums" : "f32"}`;
  const note = notesOnce();
  const progress = new Progress(flags.quiet !== true);
  const plane = detector.plane ?? ((frame: Frame) => featureImage(frame, flags.luma ?? 601));
  const table = new Table();
  const lines: string[] = [];
  const images: Record<string, unknown>[] = [];
  const threads = device.session === null ? (detector.threads ?? 1) : 1;
  const timed = async (item: DetectImage) => {
    const begin = performance.now();
    const found = await detect(item.image, device.session, item);
    return { found, seconds: (performance.now() - begin) / 1000 };
  };
  const begin = performance.now();
  try {
    const items = detectImages(files, plane, { note, channel: flags.channel });
    for await (const [item, { found, seconds }] of inOrder(items, threads, timed)) {
      // How many images a film has is known at its end.
      progress.show("images", item.frame, item.isFilm ? undefined : files.length);
      const written = writeFound(item, found, flags, detector, ran, isTable);
      if (isTable) table.add(item, found);
      const { width, height } = item.image;
      lines.push(`${item.place}: ${found.summary}, ${ran}, ${seconds.toFixed(2)} s${wroteText(...written)}\n`);
      const [file, picture] = written;
      const names = { output: isTable ? output : (file ?? null), picture: picture ?? null };
      images.push({ input: item.place, width, height, ...found.json, seconds, ...names });
    }
    if (isTable) writeWhole(output, table.content());
  } finally {
    progress.end();
    await device.close();
  }
  const all = (performance.now() - begin) / 1000;
  const precision = ran.slice(device.actual.length + 1);
  const text =
    isTable && images.length > 1
      ? `${inputs.join(" ")}: ${table.text(detector.points ?? "")}, ${all.toFixed(2)} s, ${ran}${wroteText(output, flags.picture)}\n`
      : lines.join("");
  return {
    text: text + whyText(device),
    json: {
      device: ranOn({ ...device, requested: flags.device }),
      precision,
      ...(detector.threads !== undefined && { threads }),
      images,
    },
  };
}

/** Refuses to write where an image is read, or two files to one place. Files of many frames, whose names have a number behind them, cannot be known yet. */
function refuseSharedOutputs(
  files: readonly string[],
  { output, picture, response }: CommonFlags & EachFlags,
  extension: string,
  isTable: boolean,
): void {
  if (files.length < 2) return;
  const inFolder = (folder: string | undefined, file: string, ending: string) =>
    folder === undefined ? undefined : join(folder, basename(file, extname(file)) + ending);
  const written = files.flatMap((input) => {
    const outputs = {
      output: isTable ? undefined : inFolder(output, input, extension),
      picture: inFolder(picture, input, ".svg"),
      response,
    };
    return Object.entries(outputs).flatMap(([option, file]) =>
      file === undefined ? [] : [{ label: `--${option} of ${input}`, use: "written" as const, files: [file] }],
    );
  });
  refuseShared([...written, { label: "<image>", use: "read", files }]);
}

/** The rows of several images below one header. */
class Table {
  #content = "";
  #images = 0;
  #rows = 0;
  #first: DetectImage | null = null;

  add(item: DetectImage, { content }: Found): void {
    this.#first ??= item;
    const [{ width, height }, first] = [item.image, this.#first.image];
    if (width !== first.width || height !== first.height) {
      const sizes = `is ${width} × ${height} pixels, but ${this.#first.place} ${first.width} × ${first.height}`;
      refuse(item.place, sizes, "give images of one size, or a folder as --output");
    }
    const text = content as string;
    const header = text.indexOf("\n") + 1;
    this.#content += this.#images++ === 0 ? text : text.slice(header);
    this.#rows += text.slice(header).split("\n").length - 1;
  }

  /** The first line says how many images there are, since some may show nothing. */
  content(): string {
    return this.#images > 1 ? `# dt=1 frames=${this.#images} units=px,px/frame\n${this.#content}` : this.#content;
  }

  text(points: string): string {
    return `${many(this.#rows, points)} in ${many(this.#images, "image")}`;
  }
}

/** @returns the files of the content and of the picture; undefined where there is none of its own */
function writeFound(
  { image, name, alone, place }: DetectImage,
  { summary, content, marks }: Found,
  flags: CommonFlags & EachFlags,
  { extension, underlay = greyPicture }: Detector,
  ran: string,
  isTable: boolean,
): [string | undefined, string | undefined] {
  const fileIn = (given: string, ending: string) => {
    if (alone) return given;
    if (extname(given) === ending)
      refuse(given, "is the name of one file, and there are several images", "name a folder");
    ensureFolder(given);
    return join(given, name + ending);
  };
  const file = isTable || flags.output === undefined ? undefined : fileIn(flags.output, extension);
  if (file !== undefined) writeWhole(file, content);
  const drawn = flags.picture === undefined || marks === undefined ? undefined : fileIn(flags.picture, ".svg");
  if (drawn !== undefined && marks !== undefined) {
    const title = `${place.replace(/^.*[/\\]/, "")}: ${summary.split("\n")[0]}\n${flags.method}, ${ran}`;
    writeWhole(drawn, keypointsSvg({ title, image: underlay(image), ...marks }));
  }
  return [alone && isTable ? flags.output : file, drawn];
}
