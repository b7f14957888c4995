import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { palette, shapes, symlogAxis } from "../../src/report/chart-style.js";
import type { Chart } from "../../src/report/figure.js";
import { withOneColour } from "../../src/report/one-colour.js";
import { type FigureFiles, makeFigures } from "../../src/report/report.js";
import { readReportInputs } from "../../src/rows/report-inputs.js";
import { runRow } from "./rows.js";

const results = (name: string) => fileURLToPath(new URL(`../../results/${name}`, import.meta.url));
const size = { width: 85, fontSize: 8 };

let files: FigureFiles[];
beforeAll(async () => {
  files = await makeFigures(readReportInputs(["gap.jsonl", "naive-gpu.jsonl", "baselines.jsonl"].map(results)), size);
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
