import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { palette, shapes, symlogAxis } from "../../src/report/chart-style.js";
import type { Chart } from "../../src/report/figure.js";
import { pdfWriter } from "../../src/report/figure-pdf.js";
import { withOneColour } from "../../src/report/one-colour.js";
import { type FigureFiles, makeFigures } from "../../src/report/report.js";
import { readReportInputs } from "../../src/rows/report-inputs.js";
import { runRow } from "./rows.js";

const results = (name: string) => fileURLToPath(new URL(`../../results/${name}`, import.meta.url));
const size = { width: 85, fontSize: 8 };

let files: FigureFiles[];
beforeAll(async () => {
  const writePdf = await pdfWriter();
  if (typeof writePdf === "string") throw new Error(writePdf);
  const inputs = readReportInputs(["gap.jsonl", "naive-gpu.jsonl", "baselines.jsonl"].map(results));
  files = await makeFigures(inputs, size, writePdf);
});
const fileOf = (name: string) => files.find((file) => file.name === name) as FigureFiles;

/** A chart with a series of these names. */
function chartOf(names: readonly string[]): { caption: string; chart: Chart } {
  const encoded = (range: readonly string[]) =>
    ({ field: "name", type: "nominal", scale: { domain: [...names], range: [...range] } }) as const;
  const encoding = { color: encoded(palette), shape: encoded(shapes) };
  return { caption: "", chart: { data: { values: names.map((name) => ({ name })) }, mark: "point", encoding } };
}

function coloursOf(chart: Chart): [string, string][] {
  const { color } = (chart as unknown as { encoding: { color: { scale: { domain: string[]; range: string[] } } } })
    .encoding;
  return color.scale.domain.map((name, n) => [name, color.scale.range[n]]);
}

/** The streams of a PDF, unpacked. */
function streamsOf(bytes: Buffer): string[] {
  const text = bytes.toString("latin1");
  const offsets = [...text.matchAll(/\/Length \d+>> stream\n/g)].map(({ 0: head, index }) => index + head.length);
  return offsets.map((at) => inflateSync(bytes.subarray(at, text.indexOf("endstream", at))).toString("latin1"));
}

/** What the glyphs of a PDF's fonts stand for. */
function lettersOf(streams: readonly string[]): Set<string> {
  const maps = streams.filter((stream) => stream.includes("begincmap")).join("");
  const numbers = (match: RegExpExecArray) => match.slice(1).map((digits) => Number.parseInt(digits, 16));
  const single = [...maps.matchAll(/^<(\w+)> <(\w+)>$/gm)].map((match) => numbers(match)[1]);
  const ranges = [...maps.matchAll(/^<(\w+)> <(\w+)> <(\w+)>$/gm)].flatMap((match) => {
    const [first, last, letter] = numbers(match);
    return Array.from({ length: last - first + 1 }, (_, n) => letter + n);
  });
  // Two letters may be one glyph, as in "fi".
  return new Set([...single, ...ranges].flatMap((letter) => [...String.fromCodePoint(letter).normalize("NFKD")]));
}

describe("figures of their own", () => {
  test("a name has one colour on the whole page, and names of one chart have different ones", () => {
    const many = Array.from({ length: 8 }, (_, n) => `line ${n}`);
    const charts = [
      ["a", "b"],
      ["b", "c", "d"],
      ["d", "a"],
      many,
      ["c", ...many.slice(2)],
      ["e", "b", "a", "d", "c"],
    ].map(chartOf);
    const drawn = withOneColour([{ charts: charts.slice(0, 3) }, { charts: charts.slice(3) }]).flatMap(
      (figure) => figure.charts,
    );
    const colours = new Map<string, string>();
    for (const { chart } of drawn) {
      const named = coloursOf(chart);
      expect(new Set(named.map(([, colour]) => colour)).size).toBe(named.length);
      for (const [name, colour] of named) {
        expect(colours.get(name) ?? colour).toBe(colour);
        colours.set(name, colour);
      }
    }
    expect(coloursOf(drawn[0].chart)).toEqual([
      ["a", palette[0]],
      ["b", palette[1]],
    ]);
  });

  test("a picture is as wide as asked for, with letters of that size", () => {
    for (const { name, svg } of files) {
      const [, width, , units] =
        /width="([\d.]+)mm" height="([\d.]+)mm" viewBox="0 0 ([\d.]+) /.exec(svg)?.map(Number) ?? [];
      expect(width, name).toBe(85);
      // The labels of axes have 12 units; those of steps leave too little room for their plots.
      const points = (12 * (width / units)) / (25.4 / 72);
      expect(points, name).toBeLessThanOrEqual(8.3);
      if (name.startsWith("gaps") || name.startsWith("speedup")) expect(points, name).toBeGreaterThan(7.5);
      expect(svg).not.toMatch(/NaN|undefined|aria-/);
      expect(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg"')).toBe(true);
    }
  });

  test("its PDF has the same size, no image, and letters that can be read", () => {
    for (const { name, svg, pdf } of files) {
      const bytes = Buffer.from(pdf as Uint8Array);
      const text = bytes.toString("latin1");
      const box = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(text)?.slice(1).map(Number) ?? [];
      const printed = /width="([\d.]+)mm" height="([\d.]+)mm"/.exec(svg)?.slice(1).map(Number) ?? [];
      for (const side of [0, 1]) expect(Math.abs(box[side] - (printed[side] * 72) / 25.4), name).toBeLessThan(1);
      expect(text, name).not.toContain("/Subtype /Image");
      const streams = streamsOf(bytes);
      const units = Number(/viewBox="0 0 ([\d.]+) /.exec(svg)?.[1]);
      expect(Number(/^q\n([\d.]+) 0 0 /m.exec(streams[0])?.[1]), name).toBeCloseTo((printed[0] * 72) / 25.4 / units, 5);
      const readable = lettersOf(streams);
      const words = [...svg.matchAll(/>([^<>]+)<\/(?:text|tspan)>/g)].map(([, word]) => word.replace(/&\w+;/g, " "));
      expect(words.length, name).toBeGreaterThan(9);
      expect(
        [...words.join("")].filter((letter) => !readable.has(letter)),
        name,
      ).toEqual([]);
    }
  });

  test("the rows beside a picture are its marks, value by value", () => {
    const { svg, rows } = fileOf("gaps-1");
    const [header, ...values] = rows;
    expect(header).toEqual(["x", "y", "name"]);
    const marks = [...svg.matchAll(/<path transform="translate\(([\d.-]+),([\d.-]+)\)"[^>]*opacity="0.6"/g)];
    expect(marks).toHaveLength(values.length);
    // Marks are in the order of the rows: x is linear, y logarithmic.
    const points = marks.map(([, x, y], n) => ({
      px: Number(x),
      py: Number(y),
      x: Number(values[n][0]),
      y: Math.log10(Number(values[n][1])),
    }));
    for (const [at, of] of [
      ["px", "x"],
      ["py", "y"],
    ] as const) {
      const sorted = [...points].sort((a, b) => a[of] - b[of]);
      const [first, last] = [sorted[0], sorted[sorted.length - 1]];
      const slope = (last[at] - first[at]) / (last[of] - first[of]);
      for (const point of points)
        expect(Math.abs(first[at] + slope * (point[of] - first[of]) - point[at])).toBeLessThan(0.03);
    }
  });

  test("every logarithmic axis has ticks", () => {
    const labels = (svg: string) =>
      [...svg.matchAll(/class="mark-text role-axis-label"[^>]*>(.*?)<\/g>/g)].map(
        ([, group]) => group.split("<text").length - 1,
      );
    for (const { name, svg } of files) for (const count of labels(svg)) expect(count, name).toBeGreaterThanOrEqual(2);
    for (let most = 0.2; most < 200; most *= 1.3) {
      const { scale, axis } = symlogAxis([0, most], 0.5);
      expect(axis.values.filter((tick) => tick <= scale.domain[1]).length, `${most}`).toBeGreaterThanOrEqual(3);
    }
  });

  test("any swept field is over x, in lines of the others", async () => {
    const runs = [0.05, 0.1, 0.2].flatMap((missed) =>
      ["auto", "none"].flatMap((gate) =>
        [1, 2].map((seed) =>
          runRow(
            { seed },
            {
              gapPercent: missed * seed,
              sweep: {
                name: "faulty",
                key: `${missed} ${gate} ${seed}`.replace(/\W/g, "").padEnd(16, "0"),
                values: { "simulation.faults.missed": missed, gate, seed },
              },
            },
          ),
        ),
      ),
    );
    const rows = runs.map((row, n) => ({ file: "rows.jsonl", line: n + 1, row: { ...row, name: `${n}` } }));
    const swept = (await makeFigures({ rows, folders: [], histories: [] }, size)).filter(({ name }) =>
      name.startsWith("swept"),
    );
    const titles = swept.map(({ title }) => title);
    expect(titles.some((title) => title.includes("over simulation.faults.missed"))).toBe(true);
    expect(titles.some((title) => title.includes("over gate"))).toBe(true);
    const table = swept.find(({ title }) =>
      title.startsWith("faulty: certified gap, %, over simulation"),
    ) as FigureFiles;
    const column = (name: string) => table.rows[0].indexOf(name);
    const points = table.rows
      .slice(1)
      .map((row) => [row[column("x")], row[column("line")], Number(row[column("median")])]);
    expect(points).toContainEqual(["0.1", "gate none", 0.15000000000000002]);
    expect(points).toHaveLength(6);
  });
});
