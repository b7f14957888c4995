import { CsvError, parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { randomStreams } from "../../src/core/random.js";
import { CsvRecords } from "../../src/files/csv-lines.js";
import { csvOptions, refuseCsv } from "../../src/files/csv-options.js";
import { streamTable } from "../../src/files/csv-stream.js";
import {
  leadingComments,
  Row,
  readHeader,
  readTable,
  type TableForm,
  type TableHeader,
  type TableRow,
} from "../../src/files/csv-table.js";
import { plainText } from "../../src/files/text-file.js";

/** What became of a text: its header, its rows with their lines, and the message of the error that ended it. */
interface Outcome {
  readonly told: string[];
  error: string | null;
}

const columns = { required: ["frame", "x"], optional: ["name"] };
const CUT = " (the input ends within this row)";

const headerText = ({ has, ignored, comments }: TableHeader) => JSON.stringify([[...has], ignored, comments]);
const rowText = (row: TableRow) =>
  JSON.stringify([
    row.line,
    row.number("frame", { integer: true, remedy: "r" }),
    row.number("x", { remedy: "r" }),
    row.text("name"),
  ]);

function outcomeOf(read: (told: string[]) => void): Outcome {
  const told: string[] = [];
  try {
    read(told);
    return { told, error: null };
  } catch (error) {
    return { told, error: (error as Error).message };
  }
}

/** By csv-parse alone. */
const byParser = (text: string) =>
  outcomeOf((told) => {
    const bytes = plainText("f", Buffer.from(text));
    const row = new Row("f");
    let hasHeader = false;
    const onRecord = (fields: string[], { lines }: { lines: number }) => {
      row.line = lines;
      if (hasHeader) {
        row.fill(fields);
        told.push(rowText(row));
      } else {
        hasHeader = true;
        told.push(headerText(readHeader("f", lines, fields, columns, leadingComments(bytes))));
        row.setColumns(
          fields.map((name) => name.toLowerCase()),
          fields,
        );
      }
      return null;
    };
    try {
      parse(bytes, { ...csvOptions, on_record: onRecord });
    } catch (error) {
      if (error instanceof CsvError) refuseCsv("f", error, 0);
      throw error;
    }
    if (!hasHeader) throw new Error("no header");
  });

const whole = (text: string) =>
  outcomeOf((told) => {
    const rows: string[] = [];
    let header: TableHeader | null = null;
    try {
      header = readTable("f", Buffer.from(text), columns, (row) => rows.push(rowText(row)));
    } catch (error) {
      if (/^f: (is empty|has no rows)/.test((error as Error).message)) throw new Error("no header");
      told.push(...rows);
      throw error;
    }
    told.push(headerText(header), ...rows);
  });

/** The form of a table in commas, whose header is its first record. */
function commaForm(head: Buffer, isEnd: boolean): (TableForm & { header: TableHeader }) | null {
  const header: { labels: string[]; line: number }[] = [];
  for (let end = 1; end <= head.length; end++) {
    const isLine = head[end - 1] === 10 || (head[end - 1] === 13 && end < head.length && head[end] !== 10);
    if (!isLine && !(end === head.length && isEnd)) continue;
    const records = new CsvRecords((labels, line) => header.push({ labels, line }));
    const isLast = end === head.length && isEnd;
    // A line's end is whole where something follows it, which is a byte that ends nothing here.
    const piece = isLast ? head : Buffer.concat([head.subarray(0, end), Buffer.from("#")]);
    try {
      records.push(piece, isLast);
    } catch (error) {
      if (error instanceof CsvError) refuseCsv("f", error, records.line - 1);
      throw error;
    }
    if (header.length === 0) continue;
    const [{ labels, line }] = header;
    const found = readHeader("f", line, labels, columns, leadingComments(head));
    const names = labels.map((name) => name.toLowerCase());
    const dialect = { separator: ",", decimal: ".", grouped: false, second: new Map() } as const;
    return { ...dialect, names, labels, offset: end, line: line + 1, header: found };
  }
  if (isEnd) throw new Error("f: is empty");
  return null;
}

async function streamed(bytes: Buffer, borders: readonly number[]): Promise<Outcome> {
  const outcome: Outcome = { told: [], error: null };
  async function* pieces() {
    let at = 0;
    for (const border of [...borders, bytes.length]) {
      yield bytes.subarray(at, border);
      at = border;
    }
  }
  try {
    await streamTable("f", pieces(), {
      findForm: commaForm,
      onForm: ({ header }) => outcome.told.push(headerText(header)),
      onRow: (row) => outcome.told.push(rowText(row)),
      onPause: () => {},
    });
  } catch (error) {
    const { message } = error as Error;
    outcome.error = /^f: is empty/.test(message) ? "no header" : message;
  }
  return outcome;
}

const HEADERS = [
  "frame,x,name",
  "Frame, x ,NAME",
  '"frame","x","name"',
  '"frame" ,"x",name',
  "frame,x",
  '\ufeff"frame",x,name',
  "\ufeffframe,x,é",
];
const ODD_HEADERS = [
  '"frame,x,name',
  '"fr""ame",x',
  'frame,"x"y',
  'fr"ame",x',
  '"frame","x#"',
  "frame;x",
  "1,2,3",
  "frame,frame",
  '""# it\'s "a',
  "\ufeff\ufeffframe,x",
];
const NUMBERS = [
  "0",
  "1",
  "-2",
  "1e5",
  "+1",
  "0x10",
  " 1",
  "1 ",
  "-0",
  ".5",
  "5.",
  "1e400",
  "nan",
  "",
  "\t2",
  "\f3",
  "\v4",
  "1.25\u00a0",
  "\u00a02",
  "1_0",
  "12345678901234567890",
];
const NAMES = [
  "",
  "a",
  "é",
  "#",
  "# b",
  "a b",
  "0",
  " a ",
  '"',
  '"a"',
  '"a,b"',
  '"a""b"',
  'a"b',
  '"a"b',
  '"a\nb"',
  '"a\r\nb"',
  '"é',
  "\ufeff",
];
const ODD_LINES = [
  "",
  "  ",
  "\t",
  "# a comment",
  ' # "quoted',
  "#",
  ",,",
  ",#,",
  "0,1",
  "0,1,a,b",
  '""# it\'s "a',
  '"',
  '""',
  "\u00a0",
  "\ufeff",
];
const ENDS = ["\n", "\r\n", "\r"];

/** Tables, most of whose lines are plain. */
function* tables(count: number, seed: number): Generator<string> {
  const random = randomStreams(seed).next().value;
  const one = <T>(from: readonly T[]) => from[Math.floor(random.uniform(0, from.length))];
  const chance = (share: number) => random.uniform(0, 1) < share;
  for (let n = 0; n < count; n++) {
    const end = one(ENDS);
    const odd = one([0, 0.02, 0.1, 0.3]);
    const lines: string[] = chance(0.3) ? ["# dt=1 a=é"] : [];
    lines.push(chance(0.1) ? one(ODD_HEADERS) : one(HEADERS));
    const cells = lines[lines.length - 1].split(",").length;
    for (let k = Math.floor(random.uniform(0, 6)); k > 0; k--) {
      if (chance(odd)) lines.push(one(ODD_LINES));
      else {
        const number = () => (chance(odd) ? one(NUMBERS) : String(Math.floor(random.uniform(0, 100))));
        const name = chance(odd) ? one(NAMES) : String(k);
        lines.push([number(), number(), name].slice(0, cells).join(","));
      }
    }
    const text = lines.map((line) => line + (chance(odd) ? one(ENDS) : end)).join("");
    const left = chance(0.3) ? Math.floor(random.uniform(0, Math.min(8, text.length))) : 0;
    yield text.slice(0, text.length - left);
  }
}

describe("lines that are records by themselves, against csv-parse alone", () => {
  test("whole tables have the same rows, lines and errors", () => {
    const outcomes = { error: 0, none: 0 };
    for (const text of tables(6000, 1)) {
      const expected = byParser(text);
      const found = whole(text);
      // Where a row is refused, a whole table has told nothing of its header.
      if (expected.error !== null && found.error !== null) expected.told.shift();
      expect({ text, ...found }).toEqual({ text, ...expected });
      outcomes[expected.error === null ? "none" : "error"]++;
    }
    expect(Math.min(outcomes.error, outcomes.none)).toBeGreaterThan(1000);
  });

  test("so have streams, wherever a piece ends", async () => {
    for (const text of tables(160, 2)) {
      const bytes = Buffer.from(text);
      const expected = byParser(text);
      const everywhere = Array.from({ length: Math.max(0, bytes.length - 1) }, (_, k) => k + 1);
      for (const borders of [[], everywhere, ...everywhere.map((border) => [border])]) {
        const found = await streamed(bytes, borders);
        if (found.error?.endsWith(CUT)) {
          expect(text).not.toMatch(/[\r\n]$/);
          found.error = found.error.slice(0, -CUT.length);
        }
        expect({ text, borders, ...found }).toEqual({ text, borders, ...expected });
      }
    }
  });

  test("a row that the input's end cuts short is called so, by either way, and no other", async () => {
    for (const quoted of ["", '0,1,"a"\n']) {
      const cut = await streamed(Buffer.from(`frame,x,name\n${quoted}0,1`), []);
      expect(cut.error).toContain(CUT);
      const before = await streamed(Buffer.from(`frame,x,name\n${quoted}0,x,a\n0`), []);
      expect(before.error).toMatch(/column x: "x" is not a number; r$/);
    }
  });

  test("rows before a defect are called done before it is thrown", async () => {
    const calls: string[] = [];
    async function* pieces() {
      yield Buffer.from("frame,x,name\n0,1,a\n0,x,b\n0,2,c\n");
    }
    const reading = streamTable("f", pieces(), {
      findForm: commaForm,
      onForm: () => {},
      onRow: (row) => calls.push(rowText(row)),
      onPause: async () => {
        calls.push("pause");
      },
    });
    await expect(reading).rejects.toThrow(/^f:3, column x: "x"/);
    expect(calls).toEqual([`[2,0,1,"a"]`, "pause"]);
  });

  test("long lines and records are refused as before, and comments are not", async () => {
    const long = "a".repeat(2 ** 17 + 1);
    for (const text of [`frame,x,name\n0,1,${long}\n`, `frame,x,name\n0,1,"${long}"\n`]) {
      expect(byParser(text).error).toMatch(/^f:2: a row is longer than 131072 bytes/);
      expect(whole(text).error).toBe(byParser(text).error);
      expect((await streamed(Buffer.from(text), [100, 2 ** 16])).error).toBe(byParser(text).error);
    }
    const fine = `# ${long}\nframe,x,name\n# ${long}\n0,1,${"a".repeat(2 ** 16)}\n0,1,b\n`;
    expect(whole(fine)).toEqual(byParser(fine));
    expect(await streamed(Buffer.from(fine), [2 ** 16])).toEqual(byParser(fine));
  });

  test("bytes that are no text end a stream behind the rows before them", async () => {
    const rows = Buffer.from("frame,x,name\n0,1,a\n0,2,b\n");
    for (const [bad, says] of [
      [Buffer.from([0x30, 0xff]), "bytes that are not UTF-8"],
      [Buffer.from([0x30, 0]), "a zero byte"],
    ] as const) {
      const { told, error } = await streamed(Buffer.concat([rows, bad]), []);
      expect(told).toHaveLength(3);
      expect(error).toContain(`f:3: is followed by ${says}`);
      expect((await streamed(bad, [])).error).toContain(`f: holds ${says}`);
    }
  });
});
