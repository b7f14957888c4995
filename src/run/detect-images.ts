/** The images that `rmap detect` goes through, one after the other. */
import { basename, extname } from "node:path";
import type { Frame } from "../core/frame.js";
import { noteSkipped, readFrames } from "../files/images/frames.js";
import { imagesIn } from "../files/images/sequence.js";
import type { ImageOptions } from "../files/images/tiff-layout.js";
import type { Plane } from "../pixels/image.js";

export interface DetectImage {
  readonly image: Plane;
  /** Number of the image among all, from 0 on. */
  readonly frame: number;
  /** The file, and the page or frame where the file holds several. */
  readonly place: string;
  /** Of what is written about it: the file's name without its ending, and the number of the frame where the file holds several. */
  readonly name: string;
  /** Whether it is the only one. */
  readonly alone: boolean;
  /** Whether its file holds several. */
  readonly isFilm: boolean;
}

/** The files behind images, folders and globs. What holds none stays, to be refused by name when it is read. */
export function filesOf(inputs: readonly string[]): string[] {
  return inputs.flatMap((input) => {
    const images = imagesIn(input) ?? [];
    return images.length > 0 ? images : [input];
  });
}

/** All images of some files, of which each may hold several; it reads one ahead. */
export async function* detectImages(
  files: readonly string[],
  toPlane: (frame: Frame) => Plane,
  options: ImageOptions,
): AsyncGenerator<DetectImage> {
  noteSkipped(files, options);
  let frame = 0;
  for (const file of files) {
    const stem = basename(file, extname(file));
    let last: Frame | null = null;
    let number = 0;
    const found = (image: Frame, isLast: boolean): DetectImage => {
      const single = isLast && number === 0;
      const name = single ? stem : `${stem}-${number++}`;
      const alone = single && files.length === 1;
      return { image: toPlane(image), frame: frame++, place: image.place, name, alone, isFilm: !single };
    };
    for await (const image of readFrames(file, options)) {
      if (last !== null) yield found(last, false);
      last = image;
    }
    if (last !== null) yield found(last, true);
  }
}
