import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { rmap, scenarios, succeeds } from "../cli/rmap.js";
import { temporaryFolder } from "../formats/support.js";
import { browserForTests, type Visit, visit } from "./browser.js";
import { benchRow, runRow } from "./rows.js";
import { tablesOf } from "./tables.js";

const folder = temporaryFolder();
/** Stays after the tests, for people to look at. */
const pictures = join(tmpdir(), "rmap-report");
const browser = browserForTests();

/** Rows that fill every figure. */
const rows = [
  ...["spline", "euclidean", "likelihood"].flatMap((cost, c) =>
    [1.5, 2, 3, 5].flatMap((epsilon) =>
      [10, 20, 40].flatMap((targets) =>
        [1, 2, 3].map((seed) =>
          runRow(
            { cost, epsilon, targets, seed },
            {
              gapPercent: 0.001 * targets * seed,
              edges: targets * targets * epsilon,
              triplets: targets ** 3 * epsilon ** 2 * 0.1,
              scores: { mmep: (targets * (1 + seed / 10)) / epsilon / (1 + c), itcp: 10 + targets / epsilon },
            },
          ),
        ),
      ),
    ),
  ),
  ...(["lap", "distribution", "solve"] as const).flatMap((benchmark, b) =>
    [50, 100, 200].flatMap((n) => [50, 300].map((t) => benchRow(benchmark, n, t, (n * (t + 100)) / 10 ** (1 + b)))),
  ),
];

let stdout: string;
let page: Visit;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(folder, "rows.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const solve = ["solve", "--device", "cpu", "--threads", "1", join(scenarios, "demo.json"), "--cost", "spline"];
  await succeeds([...solve, "-o", "bundle"], { cwd: folder });
  await succeeds([...solve, "-o", "polyak", "--ascent", "polyak"], { cwd: folder });
  stdout = await succeeds(["report", "rows.jsonl", "bundle", "polyak/", "-o", "out/report.html"], { cwd: folder });
  page = await visit(browser(), join(folder, "out/report.html"));
});

const figures = [
  ...["steps", "gating", "costs", "speedup-lap", "speedup-distribution", "speedup-solve"],
  ...["convergence", "gaps"],
];

describe("the page in a browser, offline", () => {
  test("asks for nothing and complains of nothing", async () => {
    expect(page.complaints).toEqual([]);
    expect(page.requests).toEqual([]);
    expect(stdout).toMatch(/^wrote out\/report\.html\n {2}Where the time goes\n/);
    expect(statSync(join(folder, "out/report.html")).size).toBeLessThan(2e6);
  });

  test.each(figures)("%s: its charts have marks that are seen, and numbers below", async (id) => {
    const drawn = (await page.page.evaluate(`
      [...document.querySelectorAll("#${id} svg.chart")].map((svg) => {
        const seen = (mark) => { const box = mark.getBoundingClientRect(); return box.width > 0 || box.height > 0; };
        const marks = [...svg.querySelectorAll(".mark-symbol path, .mark-line path, .mark-rect path, .mark-rule line")]
          .filter((mark) => !mark.closest(".role-axis, .role-legend"));
        return { marks: marks.length, seen: marks.filter(seen).length, broken: /NaN|Infinity|undefined/.test(svg.outerHTML) };
      })`)) as { marks: number; seen: number; broken: boolean }[];
    expect(drawn.length).toBeGreaterThan(0);
    for (const { marks, seen, broken } of drawn) {
      expect(marks).toBeGreaterThan(0);
      expect(seen).toBeGreaterThanOrEqual(marks / 2);
      expect(broken).toBe(false);
    }
    const html = (await page.page.evaluate("document.documentElement.outerHTML")) as string;
    const tables = tablesOf(html, id);
    expect(tables.length).toBeGreaterThan(0);
    for (const table of tables) {
      expect(table.rows.flat().some((text) => /\d/.test(text))).toBe(true);
      for (const row of table.rows) expect(row).toHaveLength(table.columns.length);
      expect(table.rows.flat().join(" ")).not.toMatch(/NaN|Infinity|undefined|null/);
    }
  });

  test("pointing at a mark says its numbers", async () => {
    await page.page.hover("#gating svg.chart [aria-roledescription=point]");
    expect(await page.page.$eval("#hint", ({ textContent }) => textContent)).toMatch(/MMEP.* \d/);
  });

  test("a picture is kept, and it is not blank", async () => {
    const file = join(pictures, "page.png");
    await page.page.evaluate("scrollTo(0, 0)");
    await page.page.screenshot({ path: file });
    expect(statSync(file).size).toBeGreaterThan(30_000);
  });
});

test("on paper every folded table is there", async () => {
  const pdf = await page.page.pdf({ path: join(pictures, "report.pdf"), format: "a4" });
  expect(pdf.length).toBeGreaterThan(50_000);
  expect(await page.page.$$eval("details:not([open])", (folded) => folded.length)).toBe(0);
});

test("no table is cut off, and nothing is listed that no row fills", async () => {
  const sections = await page.page.$$eval("main section", (all) => all.map(({ id }) => id));
  expect(sections).toEqual([...figures.filter((id) => sections.includes(id)), "provenance"]);
  const cut = await page.page.$$eval(".scroll", (all) =>
    all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
  );
  expect(cut).toEqual([]);
});

test("in the dark, paper and ink change places, in charts too", async () => {
  const dark = await browser().newPage();
  await dark.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await dark.goto(pathToFileURL(join(folder, "out/report.html")).href);
  const colours = (await dark.evaluate(`[
    getComputedStyle(document.body).backgroundColor,
    ...["h1", "#steps svg.chart text"].map((selector) => {
      const { color, fill } = getComputedStyle(document.querySelector(selector));
      return selector === "h1" ? color : fill;
    })]`)) as string[];
  const bright = colours.map((colour) => Math.min(...(colour.match(/\d+/g) ?? []).map(Number)) > 127);
  expect(bright).toEqual([false, true, true]);
  await dark.screenshot({ path: join(pictures, "dark.png"), fullPage: true });
  await dark.close();
});

test("a page without figures says what would fill it", async () => {
  const failed = { ...runRow({}), status: "failed", error: "no reason" };
  writeFileSync(join(folder, "one.jsonl"), `${JSON.stringify(failed)}\n`);
  await succeeds(["report", "one.jsonl", "-o", "one.html", "--title", 'A "title" <b>'], { cwd: folder });
  const { page, complaints } = await visit(browser(), join(folder, "one.html"));
  expect(complaints).toEqual([]);
  expect(await page.title()).toBe('A "title" <b>');
  const missing = await page.$$eval("#missing li", (items) => items.map(({ textContent }) => textContent));
  expect(missing).toHaveLength(12);
  expect(missing.join("\n")).toMatch(/Speedup of the whole solve: needs rows of rmap bench solve\./);
});

test("the help has an example", async () => {
  expect((await rmap(["report", "--help"])).stdout).toMatch(/\$ rmap report .* -o epsilon\.html/);
});
