/** Writes the results of `rmap detect` and describes them. */
import { basename, extname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { InputError } from "../../core/errors.js";
import { ensureFolder, writeWhole } from "../../files/whole-file.js";
import type { GpuSession } from "../../gpu/session.js";
import type { Plane } from "../../pixels/image.js";
import { type KeypointPicture, keypointsSvg } from "../../report/features-svg.js";
import { openDevice } from "../../run/device.js";
import { type Luma, readFeatureImage } from "../../run/features/image.js";
import { greyPicture } from "../../run/underlay.js";
import type { Outcome } from "../declaration/declaration.js";
import { refuseShared } from "../options/files.js";
import { notesOnce, wroteText } from "../print.js";
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
  readonly marks?: Pick<KeypointPicture, "x" | "y" | "sigma" | "angle">;
}

/** Options that some methods have. */
interface EachFlags {
  readonly picture?: string | undefined;
  readonly response?: string | undefined;
  readonly luma?: Luma;
}

export interface Detector {
  /** Of files in the output folder, with the dot. */
  readonly extension: string;
  /** Whether it has kernels; without them it runs on the CPU and refuses other devices. */
  readonly kernels: boolean;
}

/** Runs `detect` on every image and writes its results: to the file --output, or to files in that folder for several images. */
export async function detectEach(
  inputs: readonly string[],
  flags: CommonFlags & EachFlags,
  { extension, kernels }: Detector,
  detect: (image: Plane, session: GpuSession | null, input: string) => Promise<Found>,
): Promise<Outcome> {
  const { output, picture } = flags;
  if (inputs.length > 1) {
    const written = inputs.flatMap((input) => {
      const files = {
        output: fileOf(output, inputs, input, extension),
        picture: fileOf(picture, inputs, input, ".svg"),
        response: flags.response,
      };
      return Object.entries(files).flatMap(([option, file]) =>
        file === undefined ? [] : [{ label: `--${option} of ${input}`, use: "written" as const, files: [file] }],
      );
    });
    refuseShared([...written, { label: "<image>", use: "read", files: inputs }]);
  }
  for (const folder of [output, picture]) if (folder !== undefined && inputs.length > 1) ensureFolder(folder);
  if (!kernels && flags.device !== "auto" && flags.device !== "cpu") {
    throw new InputError(`--device ${flags.device}: this method has no kernels; use --device cpu`);
  }
  const device = await openDevice(kernels ? flags.device : "cpu");
  const { session, actual } = device;
  const precision = session === null ? "f32 images, f64 sums" : "f32";
  const note = notesOnce();
  const progress = new Progress(flags.quiet !== true);
  const lines: string[] = [];
  const images: Record<string, unknown>[] = [];
  try {
    for (const [n, input] of inputs.entries()) {
      progress.show("images", n, inputs.length);
      const image = await readFeatureImage(input, note, flags.luma ?? 601);
      const begin = performance.now();
      const { summary, json, content, marks } = await detect(image, session, input);
      const seconds = (performance.now() - begin) / 1000;
      const file = fileOf(output, inputs, input, extension);
      if (file !== undefined) writeWhole(file, content);
      const drawn = marks && fileOf(picture, inputs, input, ".svg");
      if (drawn !== undefined) {
        const title = `${basename(input)}: ${summary.split("\n")[0]}\n${flags.method}, ${actual} ${precision}`;
        writeWhole(drawn, keypointsSvg({ title, image: greyPicture(image), ...marks } as KeypointPicture));
      }
      lines.push(`${input}: ${summary}, ${actual} ${precision}, ${seconds.toFixed(2)} s${wroteText(file, drawn)}\n`);
      images.push({
        input,
        width: image.width,
        height: image.height,
        ...json,
        seconds,
        output: file ?? null,
        picture: drawn ?? null,
      });
    }
  } finally {
    progress.end();
    await device.close();
  }
  return { text: lines.join(""), json: { device: { requested: flags.device, actual }, precision, images } };
}

/** The file itself, or for several inputs one in that folder. */
function fileOf(given: string | undefined, inputs: readonly string[], input: string, extension: string) {
  if (given === undefined || inputs.length === 1) return given;
  return join(given, basename(input, extname(input)) + extension);
}
