import { refuse, shown } from "./refusal.js";

export interface NpyHeader {
  /** NumPy's name of the element type, such as "<f4". */
  readonly dtype: string;
  readonly fortranOrder: boolean;
  readonly shape: readonly number[];
}

/**
 * Reads the text of a .npy header; `place` names the file in errors.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
export function parseNpyHeader(place: string, header: string): NpyHeader {
  const dtype = /'descr':\s*'([^']*)'/.exec(header)?.[1];
  const order = /'fortran_order':\s*(True|False)/.exec(header)?.[1];
  const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1];
  if (dtype === undefined && header.includes("'descr'")) {
    refuse(place, "is a structured array", "save an array of one type of number with numpy.save");
  }
  if (dtype === undefined || order === undefined || shape === undefined) {
    refuse(place, `has the header ${shown(header.trim())}`, "save it with numpy.save");
  }
  return { dtype, fortranOrder: order === "True", shape: (shape.match(/\d+/g) ?? []).map(Number) };
}
