/** The numbers of frames in the cells of a table. */
import type { NumberRule, TableRow } from "../files/csv-table.js";
import { shown } from "../files/refusal.js";

export const frameRule: NumberRule = {
  integer: true,
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  remedy: "number the frames 0, 1, 2, …, or name the column of times: --columns time=NAME",
};

/** frame_0012.png: the last number of the name is that of the frame. */
const IMAGE = /^(.*?)(\d{1,15})(\D*\.(?:png|jpe?g|tiff?|bmp|webp|gif|pgm))$/i;

export const isImageName = (text: string): boolean => IMAGE.test(text);

/** Frames by their numbers, or by the numbers in the names of images, which are the same in all else. */
export class FrameCells {
  #others: string | null = null;

  of(row: TableRow): number {
    const text = row.text("frame");
    const isNumber = text.charCodeAt(text.length - 1) <= 57;
    const [, before, number, after] = (isNumber ? null : IMAGE.exec(text)) ?? [];
    if (number === undefined) return row.number("frame", frameRule);
    // After a decimal point, .5 comes behind .25.
    const digits = /\d[.,]$/.test(before) ? ` with ${number.length} digits` : "";
    const others = `${before}…${after}${digits}`;
    this.#others ??= others;
    if (others !== this.#others)
      row.refuse(
        "frame",
        `${shown(text)} differs from ${shown(this.#others)} in more than its number`,
        "give the images of each folder as a file",
      );
    return Number(number);
  }
}
