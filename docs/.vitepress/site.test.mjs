// Opens the built site as a reader does, in headless Chromium and offline but for this test's own server, and follows every internal link.
import assert from "node:assert/strict";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import puppeteer from "puppeteer-core";
import { writtenPages } from "./pages.mjs";

const DOCS = path.join(import.meta.dirname, "..");
const SITE = path.join(DOCS, ".vitepress", "dist");
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};
/** What a page may hold, in words; the mathematics may be longer. */
const MOST_WORDS = 1500;
const MOST_WORDS_TOGETHER = 25_000;

let server;
let browser;
let origin;

before(async () => {
  server = createServer((request, response) => {
    let file = path.join(SITE, decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    if (existsSync(file) && statSync(file).isDirectory()) file = path.join(file, "index.html");
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${server.address().port}`;
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.close();
});

test("every internal link of every page leads to a page and a place on it", async () => {
  const pages = new Map();
  const queue = ["/"];
  const page = await browser.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error}`));
  page.on("requestfailed", (request) => complaints.push(`${page.url()}: cannot load ${request.url()}`));
  page.on(
    "response",
    (answer) => answer.status() >= 400 && complaints.push(`${page.url()}: ${answer.status()} for ${answer.url()}`),
  );
  // Every page that is linked is opened itself; as on a metered connection, none is loaded ahead.
  await page.evaluateOnNewDocument(() => Object.defineProperty(navigator, "connection", { value: { saveData: true } }));
  for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
    if (pages.has(address)) continue;
    await page.goto(origin + address);
    if (address.startsWith("/examples/")) {
      // A page of rmap: it shows the recording.
      await page.waitForFunction(() => /\d+ detections in \d+ frames/.test(document.body.innerText));
      pages.set(address, { ids: [], links: [], raw: null });
      continue;
    }
    await page.waitForFunction(() => document.querySelector("#app")?.__vue_app__ !== undefined);
    const seen = await page.evaluate(() => ({
      ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
      links: [...document.querySelectorAll("a[href]")].map(({ href }) => href),
      raw: document.querySelector(".vp-doc")?.innerText.match(/\$`|```math/)?.[0] ?? null,
    }));
    if (seen.raw !== null) complaints.push(`${address}: a formula is not set`);
    pages.set(address, seen);
    for (const { pathname } of internal(seen.links)) if (!pages.has(pathname)) queue.push(pathname);
  }
  for (const [address, { links }] of pages)
    for (const { pathname, hash } of internal(links))
      if (hash !== "" && !pages.get(pathname)?.ids.includes(decodeURIComponent(hash.slice(1))))
        complaints.push(`${address}: ${pathname} has no place ${hash}`);
  const written = writtenPages().map(
    (file) => `/${file.replace(/(index)?\.md$/, (_, index) => (index ? "" : ".html"))}`,
  );
  for (const address of written) if (!pages.has(address)) complaints.push(`${address}: no page links to it`);
  assert.deepEqual(complaints, []);
  assert.ok(pages.size >= written.length);
  assert.equal([...pages.keys()].filter((address) => address.startsWith("/examples/")).length, 4);
});

test("the search finds a word of a page, and dark mode is there", async () => {
  const page = await browser.newPage();
  await page.setViewport({ width: 1200, height: 900 });
  await page.goto(`${origin}/`, { waitUntil: "networkidle0" });
  await page.click(".VPNavBarSearch button");
  await page.waitForSelector(".VPLocalSearchBox input");
  await page.type(".VPLocalSearchBox input", "margin");
  await page.waitForSelector(".VPLocalSearchBox .result");
  assert.ok((await page.$$(".VPLocalSearchBox .result")).length > 0);
  assert.ok(await page.$(".VPSwitchAppearance"));
});

test(`pages are short: at most ${MOST_WORDS} words but the mathematics, ${MOST_WORDS_TOGETHER} together`, () => {
  const words = new Map(writtenPages().map((file) => [file, wordsOf(readFileSync(path.join(DOCS, file), "utf8"))]));
  const long = [...words].filter(([file, count]) => count > MOST_WORDS && file !== "explanation/mathematics.md");
  assert.deepEqual(long, []);
  assert.ok([...words.values()].reduce((a, b) => a + b, 0) <= MOST_WORDS_TOGETHER);
});

test("pages tell what is, not how it came to be", () => {
  const told = writtenPages().flatMap((file) => {
    const text = readFileSync(path.join(DOCS, file), "utf8").replace(/^```[\s\S]*?^```/gm, "");
    return [...text.matchAll(/\b(asked|specification|(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,12})\b/g)].map(
      ([word]) => `${file}: ${word}`,
    );
  });
  assert.deepEqual(told, []);
});

/** Pages that people wrote; those below reference/library and reference/command-line are generated. */
/** Words outside tables that are generated between marks. */
function wordsOf(text) {
  const own = text.replace(/<!-- table (.+?) -->[\s\S]*?<!-- \/table \1 -->/g, "");
  return own.split(/\s+/).filter((word) => word !== "").length;
}

function internal(links) {
  return links.map((href) => new URL(href)).filter((url) => url.origin === origin);
}

async function launch() {
  const installed = process.env.RMAP_CHROMIUM;
  if (installed) return puppeteer.launch({ executablePath: installed, args: ["--no-sandbox"] });
  process.env.AWS_LAMBDA_JS_RUNTIME ??= "nodejs20.x";
  const { default: chromium } = await import("@sparticuz/chromium");
  // Pages are painted without the software GPU, which takes five times the processor time.
  const args = [...chromium.args, "--disable-gpu"];
  return puppeteer.launch({ executablePath: await chromium.executablePath(), args, headless: "shell" });
}
