import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { decode } from "fast-png";
import type { Page } from "puppeteer-core";
import { expect, test, vi } from "vitest";
import { encodeGreyTiff } from "../../src/files/images/tiff-writer.js";
import { program, rmap, scenarios, succeeds } from "../cli/rmap.js";
import { writeGraph } from "../formats/geff-folders.js";
import { temporaryFolder } from "../formats/support.js";
import { browserForTests, visit } from "../report/browser.js";

// A browser, while other tests take the processor.
vi.setConfig({ testTimeout: 180_000 });

const folder = temporaryFolder();
const browser = browserForTests("webgl");
const dist = new URL("../../dist/", import.meta.url);
const at = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(at(name), "utf8");

/** The first frames of the demo's recording, in some of which it is doubtful who is who. */
async function recording(frames: number): Promise<string> {
  const drawn = await succeeds(["simulate", join(scenarios, "demo.json"), "--seed", "1"]);
  const [comment, header, ...rows] = drawn.trim().split("\n");
  const kept = rows
    .filter((row) => Number(row.split(",")[0]) < frames)
    .map((row) => row.split(",").toSpliced(3, 2).join(","));
  return [comment.replace(/frames=\d+/, `frames=${frames}`), header.replace("vx,vy,", ""), ...kept, ""].join("\n");
}

/** What the page would have the browser save, by name. */
async function saved(page: Page, button: string): Promise<Record<string, string>> {
  await page.evaluate(() => {
    const kept: [string, Promise<string>][] = [];
    const blobs = new Map<string, Blob>();
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      const url = make.call(URL, blob);
      blobs.set(url, blob as Blob);
      return url;
    };
    HTMLAnchorElement.prototype.click = function () {
      kept.push([this.download, (blobs.get(this.href) as Blob).text()]);
    };
    Object.assign(globalThis, { kept });
  });
  await page.click(button);
  await idle(page);
  return page.evaluate(async () => {
    const { kept } = globalThis as unknown as { kept: [string, Promise<string>][] };
    return Object.fromEntries(await Promise.all(kept.map(async ([name, content]) => [name, await content])));
  });
}

/** Until the worker rests. */
const idle = (page: Page) =>
  page.waitForFunction(() => !/…$/.test(document.getElementById("message")?.textContent ?? ""));
const isLink = () => / to /.test(document.querySelector("[aria-current]")?.textContent ?? "");
const shown = (page: Page, id: string) => page.$eval(`#${id}`, (element) => element.textContent ?? "");

async function drop(page: Page, ...names: string[]): Promise<void> {
  const input = await page.waitForSelector("#files");
  await (input as unknown as { uploadFile(...files: string[]): Promise<void> }).uploadFile(...names.map(at));
  await idle(page);
}

test("a file is dropped, solved, corrected, saved and its proof checked, offline, with the bytes of the command line", async () => {
  writeFileSync(at("school.csv"), await recording(7));
  await succeeds(["solve", "school.csv", "-o", "run", "--threads", "1", "--device", "cpu"], { cwd: folder });
  await succeeds(["page", "-o", "page.html"], { cwd: folder });
  const { page, complaints, requests } = await visit(browser(), at("page.html"));
  writeFileSync(at("words.txt"), "hello\n");
  await drop(page, "words.txt");
  const refused = await page.$eval("#message.error", ({ textContent }) => textContent);
  expect(refused).toMatch(/^words\.txt:1: .* --columns .* on the command line\)$/);
  writeFileSync(at("lonely.csv"), "frame,x,y\n0,1,2\n1,500,6\n2,9000,1\n");
  await drop(page, "lonely.csv");
  await page.click("#solve");
  await page.waitForFunction(() => /There is none: each track is a single detection/.test(document.body.innerText));
  expect(await page.$$eval("summary", ([notes]) => notes.textContent)).toBe("1 note");

  await drop(page, "school.csv");
  expect(await shown(page, "message")).toMatch(/^A solve takes at most \d+ MB of the /);
  await page.click("#solve");
  await page.waitForSelector("#cost");
  await idle(page);
  const { lowerBound, upperBound } = JSON.parse(text("run/result.json"));
  expect([await shown(page, "bound"), await shown(page, "cost")]).toEqual([String(lowerBound), String(upperBound)]);
  const files = await saved(page, "#export");
  expect(files).toEqual({ "tracks.csv": text("run/tracks.csv"), "proof.json": text("run/proof.json") });

  expect(Number(await shown(page, "open"))).toBeGreaterThan(0);
  await page.focus("#picture");
  const press = async (key: "n" | "r" | "u" | "w") => {
    await page.keyboard.press(key);
    await idle(page);
    return [Number(await shown(page, "confirmed")), Number(await shown(page, "cost"))];
  };
  // Starts and ends stand in the list, too.
  for (let n = 0; n < 9 && !(await page.evaluate(isLink)); n++) await press("n");
  await page.waitForFunction(() => /The best answer without this link costs/.test(document.body.innerText));
  expect(await press("r")).toEqual([1, upperBound]);
  expect(await press("u")).toEqual([0, upperBound]);
  expect(await page.evaluate(isLink)).toBe(true);
  const [confirmed, dearer] = await press("w");
  expect({ confirmed, isDearer: dearer > upperBound }).toEqual({ confirmed: 0, isDearer: true });
  expect(await page.$$eval("#message.error", (errors) => errors.map(({ textContent }) => textContent))).toEqual([]);
  const corrected = await saved(page, "#export");
  expect(corrected["links.csv"]).toMatch(/^frame,i,next,j,link\n\d+,\d+,\d+,\d+,forbidden\n$/);
  for (const [name, content] of Object.entries(corrected)) writeFileSync(at(name), content);
  const checked = await succeeds(["check", "proof.json", "school.csv", "--links", "links.csv"], { cwd: folder });
  expect(checked).toContain("the proof holds");
  await drop(page, "proof.json", "links.csv");
  expect(await shown(page, "message")).toMatch(/^The proof holds/);
  expect([complaints, requests]).toEqual([[], []]);
  await page.close();
});

test("the page of a run shows its tracks at once, and what its address says", async () => {
  await succeeds(["page", "run", "-o", "run.html"], { cwd: folder });
  const { page } = await visit(browser(), at("run.html"), "#frame=4&colour=margin&track=3&whole=0");
  await page.waitForSelector("#bound");
  expect(await page.$eval("#picture", (picture) => picture.getAttribute("aria-label"))).toBe(
    "Frame 4: 30 detections, track 3 is chosen",
  );
  await page.focus("#picture");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => location.hash.includes("frame=5"));
  // A slider that has the focus takes the arrows alone.
  await page.focus(".timeline input");
  await page.keyboard.press("n");
  await page.waitForSelector("[aria-current]");
  const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    const found = await page.evaluate(async (axe) => {
      // biome-ignore lint/security/noGlobalEval: the policy forbids the page to load it
      if (!("axe" in globalThis)) globalThis.eval(axe);
      const { violations } = await (
        globalThis as unknown as {
          axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
        }
      ).axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    }, source);
    expect(found).toEqual([]);
  }
  await page.close();
});

/** Cells that move up, and divide in frame 6. */
function dividing(): string {
  const noise = (seed: number) => Math.sin(97 * seed) * Math.cos(31 * seed);
  const rows = ["frame,x,y,size"];
  for (let p = 0; p < 12; p++)
    for (let cell = 0; cell < 6; cell++)
      for (const side of p < 6 ? [0] : [-1, 1]) {
        const seed = 12 * p + 2 * cell + side;
        rows.push([p, 40 * cell + side * (2 + 1.5 * (p - 5)) + noise(seed), 3 * p + noise(seed + 0.5), cell].join());
      }
  return `${rows.join("\n")}\n`;
}

test("fingers move and zoom the view and trace a track; its family's tree and the view follow one another", async () => {
  const name = `${"a_name_without_an_end_".repeat(5)}.csv`;
  writeFileSync(at(name), dividing());
  await succeeds(["solve", name, "--divisions", "auto", "-o", "cells", "-q"], { cwd: folder });
  await succeeds(["page", "cells", "-o", "cells.html"], { cwd: folder });
  const { page, complaints } = await visit(browser(), at("cells.html"), "#frame=9");
  await page.setViewport({ width: 390, height: 800, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  await page.waitForSelector("#bound");
  const view = async () => {
    await page.waitForFunction(() => /view=/.test(location.hash));
    await new Promise((passed) => setTimeout(passed, 400));
    return page.evaluate(() => (new URLSearchParams(location.hash).get("view") as string).split(",").map(Number));
  };
  const touches = await page.createCDPSession();
  const touch = async (...steps: (readonly (readonly [number, number])[])[]) => {
    for (const [n, points] of steps.entries()) {
      const touchPoints = points.map(([x, y], id) => ({ x, y, id }));
      await touches.send("Input.dispatchTouchEvent", { type: n === 0 ? "touchStart" : "touchMove", touchPoints });
    }
    await touches.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };
  const label = () => page.$eval("#picture", (picture) => picture.getAttribute("aria-label"));
  const [x, y, scale] = await view();
  await touch([[200, 200]], [[230, 180]], [[260, 160]]);
  const [movedX, movedY, kept] = await view();
  expect([(x - movedX) * scale, (y - movedY) * scale, kept].map((value) => value.toPrecision(3))).toEqual(
    [60, 40, scale].map((value) => value.toPrecision(3)),
  );
  await touch(
    [
      [100, 200],
      [200, 200],
    ],
    [
      [50, 200],
      [250, 200],
    ],
  );
  expect((await view())[2] / scale).toBeCloseTo(2, 4);
  expect(await label()).toBe("Frame 9: 12 detections");

  await page.evaluate(() => document.getElementById("whole")?.click());
  expect(await view()).toEqual([x, y, scale]);
  const box = await page.$eval("#picture", (picture) => picture.getBoundingClientRect().toJSON());
  // A detection of frame 7, whose link is in the tail.
  const [, column, row] = dividing()
    .split("\n")
    .filter((line) => line.startsWith("7,"))[3]
    .split(",")
    .map(Number);
  await touch([[box.x + box.width / 2 + (column - x) * scale, box.y + box.height / 2 - (row - y) * scale]]);
  await page.waitForSelector(".branch.chosen");
  const chosen = await label();
  expect(chosen).toMatch(/^Frame 9: 12 detections, track \d+ is chosen$/);
  await page.$$eval(".branch", ([mother]) => (mother as SVGElement).focus());
  await page.keyboard.press("Enter");
  expect(await label()).toMatch(/^Frame 0: 6 detections, track [0-5] is chosen$/);
  const beside = await view();
  expect(beside.slice(0, 2)).not.toEqual([x, y]);
  expect(beside[2] / scale).toBeCloseTo(6, 3);
  const top = await page.$$eval(".branch.chosen, .now", (parts) => parts.map((part) => part.getBoundingClientRect().y));
  expect(Math.abs(top[0] - top[1])).toBeLessThan(2);

  await page.select("#colour", "column size");
  expect(await page.$eval(".ramp", ({ textContent }) => textContent?.trim())).toMatch(/^0 +5$/);
  const isWide = () => [...document.querySelectorAll("html, h2")].some((part) => part.scrollWidth > innerWidth);
  expect(await page.evaluate(isWide)).toBe(false);
  expect(complaints).toEqual([]);
  await page.close();
});

/** The cells as a graph of candidates, whose costs are theirs. */
function graphOf(rows: readonly (readonly number[])[]) {
  const pairs = rows.flatMap(([p, x, y], i) =>
    rows.flatMap(([q, u, v], j) => {
      const length = Math.hypot(u - x, v - y);
      return q === p + 1 && length < 20 ? [{ i, j, cost: length - 15 }] : [];
    }),
  );
  const column = (n: number) => Float64Array.from(rows, (row) => row[n]);
  const axes = ["t", "x", "y"].map((axis) => ({ name: axis, type: axis === "t" ? "time" : "space" }));
  const arrays = {
    "nodes/ids": BigUint64Array.from(rows, (_, i) => BigInt(i)),
    "nodes/props/t/values": Uint16Array.from(rows, ([p]) => p),
    "nodes/props/x/values": column(1),
    "nodes/props/y/values": column(2),
    "nodes/props/division/values": Float64Array.from(rows, () => 3),
    "edges/ids": BigUint64Array.from(
      pairs.flatMap(({ i, j }) => [i, j]),
      BigInt,
    ),
    "edges/props/cost/values": Float64Array.from(pairs, ({ cost }) => cost),
  };
  return { geff: { geff_version: "1.2", directed: true, axes }, arrays };
}

test.for(["cells.txt", "cells.xml", "cells.geff"])(
  "%s is dropped and solved to the bytes of the command line",
  async (name) => {
    if (name === "cells.geff") {
      const rows = dividing().trim().split("\n").slice(1);
      const layout = { zarr: 3, codec: "blosc", rows: 50 } as const;
      await writeGraph(at(name), graphOf(rows.map((row) => row.split(",").map(Number))), layout);
    } else {
      const as = name === "cells.txt" ? "mot" : "trackmate";
      await succeeds(["export", "cells/tracks.csv", "--as", as, "-o", name], { cwd: folder });
    }
    await succeeds(["solve", name, "-o", "known", "--threads", "1", "--device", "cpu", "-q"], { cwd: folder });
    const { page, complaints } = await visit(browser(), at("page.html"));
    await page.waitForSelector("#files");
    const drags = await page.createCDPSession();
    const data = { items: [], files: [at(name)], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await drags.send("Input.dispatchDragEvent", { type, x: 600, y: 400, data });
    await page.waitForSelector("#solve:enabled");
    await page.click("#solve");
    await page.waitForSelector("#cost");
    await idle(page);
    const { lowerBound, upperBound } = JSON.parse(text("known/result.json"));
    expect([await shown(page, "bound"), await shown(page, "cost")]).toEqual([String(lowerBound), String(upperBound)]);
    expect(await saved(page, "#export")).toEqual({
      "tracks.csv": text("known/tracks.csv"),
      "proof.json": text("known/proof.json"),
    });
    expect(complaints).toEqual([]);
    await page.close();
  },
);

test("a simulated scenario is drawn by other numbers, and what is saved is the command line's answer to them", async () => {
  writeFileSync(at("few.json"), '{ "name": "few", "simulation": { "targets": 8, "frames": 6 }, "seed": 3 }');
  await succeeds(["page", "few.json", "-o", "few.html"], { cwd: folder });
  const { page, complaints } = await visit(browser(), at("few.html"));
  await page.waitForSelector("#targets");
  for (const [slider, presses] of [
    ["targets", 2],
    ["noise", 30],
    ["density", 5],
  ] as const) {
    await page.focus(`#${slider}`);
    for (let n = 0; n < presses; n++) await page.keyboard.press("ArrowRight");
    await idle(page);
  }
  await page.waitForFunction(() => /60 detections in 6 frames/.test(document.body.innerText));
  await page.click("#solve");
  await page.waitForSelector("#cost");
  await idle(page);
  const files = await saved(page, "#export");
  const { simulation } = JSON.parse(files["scenario.json"]);
  expect(simulation).toMatchObject({ targets: 10, frames: 6, noise: { position: 0.4 } });
  expect(simulation.targets / simulation.spread ** 2).toBeCloseTo(2.24, 9);
  writeFileSync(at("scenario.json"), files["scenario.json"]);
  await succeeds(["solve", "scenario.json", "-o", "known", "--threads", "1", "--device", "cpu"], { cwd: folder });
  expect(files).toMatchObject({ "tracks.csv": text("known/tracks.csv"), "proof.json": text("known/proof.json") });
  expect(complaints).toEqual([]);
  await page.close();
});

/** The TIFF with its strip, which begins at byte 134, compressed: entries 4 and 9 of its directory are the compression and the bytes of the strip. */
function deflated(tiff: Buffer): Buffer {
  const strip = deflateSync(tiff.subarray(134));
  const head = Buffer.from(tiff.subarray(0, 134));
  head.writeUInt32LE(8, 10 + 3 * 12 + 8);
  head.writeUInt32LE(strip.length, 10 + 8 * 12 + 8);
  return Buffer.concat([head, strip]);
}

/** The shares of white left and right of the middle of the picture, a quarter of its width away. */
async function halves(page: Page): Promise<number[]> {
  const { x, y, width, height } = await page.$eval("#picture", (picture) => picture.getBoundingClientRect().toJSON());
  const clip = { x: x + width / 4, y: y + height / 2, width: width / 2, height: 1 };
  const { data, channels } = decode(await page.screenshot({ clip }));
  return [0, data.length - channels].map((at) => data[at] / 255);
}

test("TIFF of 16 bits and stacks of NumPy lie under the detections, an image a frame; what cannot be shown is told", async () => {
  const half = (bright: number) =>
    Uint16Array.from({ length: 40 * 30 }, (_, n) => (n % 40 < 20 === (bright === 0) ? 60_000 : 20_000));
  writeFileSync(at("image0.tif"), encodeGreyTiff(40, 30, half(0)));
  writeFileSync(at("image1.tif"), deflated(encodeGreyTiff(40, 30, half(1))));
  const header = "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 30, 40), }".padEnd(117);
  const stack = [half(1), half(0)].map(({ buffer }) => Buffer.from(buffer));
  writeFileSync(at("stack.npy"), Buffer.concat([Buffer.from(`\x93NUMPY\x01\0\x76\0${header}\n`, "latin1"), ...stack]));
  writeFileSync(at("few.csv"), "frame,x,y\n0,0,0\n0,39,29\n1,0,0\n1,39,29\n");
  writeFileSync(at("broken.png"), "no image");
  const { page, complaints } = await visit(browser(), at("page.html"));
  const over = /over an image of 40 × 30 pixels/;
  const label = () => page.$eval("#picture", (picture) => picture.getAttribute("aria-label"));
  for (const [names, left] of [
    [["image1.tif", "few.csv", "image0.tif"], 1],
    [["stack.npy"], 0],
  ] as const) {
    await drop(page, ...names);
    await page.waitForFunction(() => /over an image/.test(document.getElementById("picture")?.ariaLabel ?? ""));
    expect(await label()).toMatch(over);
    for (const frame of [0, 1]) {
      await page.focus("#picture");
      await page.keyboard.press(frame === 0 ? "Home" : "End");
      const [expected, other] = frame === 0 ? [left, 1 - left] : [1 - left, left];
      await vi.waitFor(async () => expect(await halves(page)).toEqual([expected, other]), { timeout: 20_000 });
    }
  }
  await drop(page, "broken.png");
  await page.waitForFunction(() =>
    /^broken\.png: .*save it as PNG again$/.test(document.getElementById("message")?.textContent ?? ""),
  );
  expect(complaints).toEqual([]);
  await page.close();
});

test("key c and a click link the chosen track with another detection by hand", async () => {
  const [, ...rows] = text("run/tracks.csv").trim().split("\n");
  const detections = rows.map((row) => row.split(",").map(Number));
  const at4 = (found: number[]) => found[0] === 4 && found[2] === 3;
  const [, i] = detections.find(at4) ?? [];
  const [, j, , x, y] = detections.find(([frame, , track]) => frame === 5 && track === 7) ?? [];
  const { page } = await visit(browser(), at("run.html"), `#frame=4&track=3&view=${x},${y},200`);
  await page.waitForSelector("#bound");
  await page.focus("#picture");
  await page.keyboard.press("c");
  await page.waitForFunction(() => /click the detection that follows/.test(document.body.innerText));
  await page.keyboard.press("ArrowRight");
  await page.click("#picture");
  await page.waitForFunction(() => document.getElementById("confirmed")?.textContent === "1");
  await idle(page);
  expect(Number(await shown(page, "cost"))).toBeGreaterThan(JSON.parse(text("run/result.json")).upperBound);
  expect((await saved(page, "#export"))["links.csv"]).toBe(`frame,i,next,j,link\n4,${i},5,${j},required\n`);
  await page.close();
});

/** The imports of a function of this file would be those of the test's own loader. */
const solveIn = new Function(
  "script",
  "file",
  `return import(URL.createObjectURL(new Blob([script], { type: "text/javascript" }))).then(async (module) => {
    module.placeFile("school.csv", file);
    const { lowerBound, proof } = await module.solve("school.csv");
    return { lowerBound, proof };
  });`,
) as (script: string, file: string) => Promise<{ readonly lowerBound: number; readonly proof: string }>;

test("rmap/browser solves in a browser to the command line's last digit", async () => {
  const core = readFileSync(new URL("browser/rmap.js", dist), "utf8");
  const { page } = await visit(browser(), at("page.html"), "", false);
  const { lowerBound } = JSON.parse(text("run/result.json"));
  expect(await page.evaluate(solveIn, core, text("school.csv"))).toEqual({ lowerBound, proof: text("run/proof.json") });
  expect(core.length).toBeLessThan(1_100_000);
  expect(readFileSync(new URL("page/rmap.html", dist)).length).toBeLessThan(1_500_000);
  await page.close();
});

test("without -o the page is served to this machine alone, until Ctrl-C", async () => {
  // The opener may be missing, which is said, and hinders nothing.
  const env = { ...process.env, BROWSER: "no-such-browser" };
  const child = spawn(process.execPath, [program, "page", "run"], { cwd: folder, env });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const address = await new Promise<string>((resolve) => {
    child.stdout.on("data", (said: Buffer) => resolve(String(said).split(" ")[0]));
  });
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(await (await fetch(address)).text()).toBe(text("run.html"));
  const asked = (path: string, host: string) =>
    new Promise<number | undefined>((resolve) => {
      request(new URL(path, address), { headers: { host } }, ({ statusCode }) => resolve(statusCode)).end();
    });
  expect(await asked("/", "evil.example")).toBe(404);
  expect(await asked("/etc/passwd", new URL(address).host)).toBe(404);
  child.kill("SIGINT");
  expect(await ended).toBe(0);
});

test("nothing that cannot be shown makes a page", async () => {
  writeFileSync(join(folder, "words.txt"), "no detections\n");
  const words = await rmap(["page", "words.txt", "-o", "none.html"], { cwd: folder });
  expect(words).toMatchObject({ code: 2, stderr: expect.stringMatching(/^rmap: words\.txt.*\n$/) });
  expect(existsSync(join(folder, "none.html"))).toBe(false);
  const { code, stderr } = await rmap(["page", "none.csv", "-o", "none.html"], { cwd: folder });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "rmap: none.csv: there is no such file or folder; check the path\n",
  });
});

test("a simulated run is drawn again and solved again on the CPU, to the byte, and by WebGPU, to rounding", async () => {
  const settings = ["--device", "cpu", "--threads", "1"];
  await succeeds(["solve", join(scenarios, "tiny.json"), "-o", "drawn", ...settings], { cwd: folder });
  await succeeds(["page", "drawn", "-o", "drawn.html"], { cwd: folder });
  const { lowerBound, upperBound } = JSON.parse(text("drawn/result.json"));
  const { page } = await visit(browser(), at("drawn.html"), "#device=software");
  const solvedOn = async (device: string) => {
    await page.click("#solve");
    await page.waitForFunction((name) => document.getElementById("device")?.textContent === name, {}, device);
    await idle(page);
    return [Number(await shown(page, "bound")), Number(await shown(page, "cost"))];
  };
  await page.waitForSelector("#solve");
  const [bound, cost] = await solvedOn("google swiftshader");
  expect(Math.abs(bound - lowerBound)).toBeLessThan(1e-12 * lowerBound);
  expect(Math.abs(cost - upperBound)).toBeLessThan(1e-12 * upperBound);
  await page.select("#devices", "cpu");
  expect(await solvedOn("the CPU")).toEqual([lowerBound, upperBound]);
  const files = { "tracks.csv": text("drawn/tracks.csv"), "proof.json": text("drawn/proof.json") };
  expect(await saved(page, "#export")).toMatchObject(files);
  await page.close();
});

test("a run whose detections the page has not says that it cannot be solved there", async () => {
  writeFileSync(at("gone.csv"), text("school.csv"));
  await succeeds(["solve", "gone.csv", "-o", "lost", "--device", "cpu"], { cwd: folder });
  rmSync(at("gone.csv"));
  await succeeds(["page", "lost", "-o", "lost.html"], { cwd: folder });
  const { page } = await visit(browser(), at("lost.html"));
  await page.waitForSelector("#bound");
  expect(await page.$eval("main", ({ textContent }) => textContent)).toContain("cannot be solved again here");
  expect(await page.$("#solve")).toBe(null);
  await page.close();
});
