/** Detections in NumPy's files: .npy with one array, .npz with several. */
import { createRequire } from "node:module";
import { type NamedColumn, npyColumns } from "../files/npy-columns.js";
import { npyHeaderOf } from "../files/npy-header.js";
import { refuse, shown } from "../files/refusal.js";
import type { VelocityUse } from "./detection-columns.js";
import { type DetectionsFile, parseDetections, type ReadingSource } from "./detections.js";

/** Bytes that the arrays of an archive may take. */
const MOST_BYTES = 2 ** 30;

/** Rows that become text at a time. */
const ROWS = 2 ** 14;

/** @throws InputError for arrays without names whose columns the user has not numbered */
export function parseNpy(file: string, bytes: Buffer, use: VelocityUse, source: ReadingSource): DetectionsFile {
  return detectionsOf(file, npyColumns(file, bytes), use, source);
}

/** Arrays of one dimension are columns by their names; one of two dimensions, or of records, is the table. */
export function parseNpz(file: string, bytes: Buffer, use: VelocityUse, source: ReadingSource): DetectionsFile {
  const arrays = arraysIn(file, bytes).map(([name, content]) => {
    const columns = npyColumns(`${file}, array ${name}`, content);
    return { name, columns };
  });
  const tables = arrays.filter(({ columns }) => columns.length > 1 || columns[0]?.name !== null);
  const lists = arrays.filter((one) => !tables.includes(one));
  if (tables.length > 1) {
    const names = tables.map(({ name }) => name).join(", ");
    refuse(file, `has several tables: ${names}`, "save the one of detections alone");
  }
  if (tables.length === 1) return detectionsOf(file, tables[0].columns, use, source);
  const rows = lists[0]?.columns[0].values.length ?? 0;
  const other = lists.find(({ columns }) => columns[0].values.length !== rows);
  if (other !== undefined)
    refuse(
      file,
      `has arrays of different lengths: ${lists[0].name} and ${other.name}`,
      "save the columns of detections alone",
    );
  return detectionsOf(
    file,
    lists.map(({ name, columns }) => ({ name, values: columns[0].values })),
    use,
    source,
  );
}

function arraysIn(file: string, bytes: Buffer): [name: string, content: Buffer][] {
  // Loaded here, since few files are archives.
  const { unzipSync }: typeof import("fflate") = createRequire(import.meta.url)("fflate");
  let size = 0;
  let contents: Record<string, Uint8Array>;
  try {
    contents = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        size += originalSize;
        return name.endsWith(".npy") && size <= MOST_BYTES;
      },
    });
  } catch (error) {
    refuse(file, `cannot be read as an archive (${shown((error as Error).message)})`, "save it again with numpy.savez");
  }
  if (size > MOST_BYTES) refuse(file, `holds ${size} bytes, more than ${MOST_BYTES}`, "split it");
  const arrays = Object.entries(contents);
  if (arrays.length === 0) refuse(file, "holds no arrays", "save it with numpy.savez");
  return arrays.map(([name, { buffer, byteOffset, length }]) => [
    name.slice(0, -".npy".length),
    Buffer.from(buffer, byteOffset, length),
  ]);
}

function detectionsOf(
  file: string,
  columns: readonly NamedColumn[],
  use: VelocityUse,
  source: ReadingSource,
): DetectionsFile {
  const names = columns.map(({ name }, at) => name ?? String(at + 1));
  const text = Buffer.concat([...textOf(columns)]);
  const read = (asked: ReadingSource) => parseDetections(file, text, use, { ...asked, names, format: "a NumPy array" });
  if (source.columns !== undefined || columns.every(({ name }) => name !== null)) return read(source);
  const rows = columns[0]?.values.length ?? 0;
  if (columns.length < 3 || (rows <= MOST_COLUMNS && columns.length > MOST_COLUMNS)) {
    const remedy = "give an array of a row for each detection: frame, x, y";
    refuse(
      file,
      `has the shape (${rows}, ${columns.length})`,
      columns.length < 3 ? remedy : `${remedy}; its transpose may be one`,
    );
  }
  const frame = columns.length === 3 ? frameAmong(columns) : null;
  if (frame === null) {
    const problem = `is an array of ${columns.length} columns without names`;
    refuse(file, problem, "give their numbers, from 1 on, as in --columns frame=1,x=2,y=3");
  }
  const [x, y] = names.filter((_, at) => at !== frame);
  const recording = read({ ...source, columns: { frame: names[frame], x, y } });
  const turned = `--columns frame=${names[frame]},x=${y},y=${x}`;
  const note = `The columns have no names: the one of whole numbers is taken for the frame, and x for the one before y (else give ${turned}).`;
  return { ...recording, notes: [...recording.notes, note] };
}

/** The one column that may be the frame: of whole numbers, and, where there are several of these, never decreasing; null where there are none or several. */
function frameAmong(columns: readonly NamedColumn[]): number | null {
  const isCount = (value: number) => Number.isInteger(value) && value >= 0;
  const whole = columns.flatMap(({ values }, at) => (values.every(isCount) ? [at] : []));
  const isSorted = (at: number) => columns[at].values.every((value, row, all) => row === 0 || value >= all[row - 1]);
  const found = whole.length === 1 ? whole : whole.filter(isSorted);
  return found.length === 1 ? found[0] : null;
}

/** Fewest pixels along a side of an image, and most columns, or rows, of an array that is surely none. */
const LEAST_SIDE = 16;
const MOST_COLUMNS = 6;

/**
 * Whether a .npy file, of which these are the first bytes, is a table of detections, and not images.
 * @throws InputError where it may be either, with what to type
 */
export function isTable(file: string, head: Buffer): boolean {
  const { shape, fields } = npyHeaderOf(file, head).header;
  if (fields !== null) return true;
  const [rows, columns] = shape;
  if (shape.length !== 2 || (rows >= LEAST_SIDE && columns >= LEAST_SIDE)) return shape.length === 1;
  if (Math.min(rows, columns) <= MOST_COLUMNS) return true;
  refuse(
    file,
    `has the shape (${rows}, ${columns}), which may be a table or an image`,
    `type rmap solve ${file} --columns frame=1,x=2,y=3, with the numbers of its columns, or rmap detect ${file}`,
  );
}

/** The rows as text, from which each number is read back bit for bit. */
function* textOf(columns: readonly NamedColumn[]): Generator<Buffer> {
  const rows = columns[0]?.values.length ?? 0;
  for (let first = 0; first < rows; first += ROWS) {
    let text = "";
    for (let row = first; row < Math.min(rows, first + ROWS); row++)
      text += `${columns.map(({ values }) => exact(values[row])).join(",")}\n`;
    yield Buffer.from(text);
  }
}

const exact = (value: number) => (Object.is(value, -0) ? "-0" : String(value));
