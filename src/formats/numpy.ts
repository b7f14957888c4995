/** Detections in NumPy's files: .npy with one array, .npz with several. */
import { createRequire } from "node:module";
import { type NamedColumn, npyColumns } from "../files/npy-columns.js";
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
  const isNamed = columns.every(({ name }) => name !== null);
  if (!isNamed && source.columns === undefined) {
    const problem = `is an array of ${columns.length} columns without names`;
    refuse(file, problem, "give their numbers, from 1 on, as in --columns frame=1,x=2,y=3");
  }
  const names = columns.map(({ name }, at) => name ?? String(at + 1));
  const text = Buffer.concat([...textOf(columns)]);
  return parseDetections(file, text, use, { ...source, names, format: "a NumPy array" });
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
