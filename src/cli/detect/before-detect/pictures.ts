/** One picture of each output frame of track-before-detect. */
import { extname, join } from "node:path";
import type { Frame } from "../../../core/frame.js";
import { refuse } from "../../../files/refusal.js";
import { ensureFolder, writeWhole } from "../../../files/whole-file.js";
import type { OutputFrame } from "../../../pixels/before-detect/detect.js";
import { toGrey } from "../../../pixels/image.js";
import { keypointsSvg } from "../../../report/features-svg.js";
import { stretchedPicture } from "../../../run/underlay.js";
import { many } from "../../print.js";
import type { BeforeDetectFlags } from "./options.js";

export function requirePictureFolder({ picture }: BeforeDetectFlags): void {
  if (picture !== undefined && extname(picture) === ".svg")
    refuse(picture, "is the name of one file, and each output frame has a picture", "name a folder");
}

/** Writes the picture of an output frame over the image that came last: a ring for each detection, and the way that it came since the output before. */
export function writePicture(
  folder: string,
  { frame, detections }: OutputFrame,
  last: Frame,
  decimation: number,
): void {
  const column = (of: (detection: OutputFrame["detections"][number]) => number) => Float32Array.from(detections, of);
  ensureFolder(folder);
  const svg = keypointsSvg({
    title: `Frame ${frame}: ${many(detections.length, "target")}\nbefore-detect`,
    image: stretchedPicture(toGrey(last)),
    x: column(({ x }) => x),
    y: column(({ y }) => y),
    way: { x: column(({ vx }) => -decimation * vx), y: column(({ vy }) => -decimation * vy), images: decimation },
  });
  writeWhole(join(folder, `frame-${frame}.svg`), svg);
}
