// The page in headless Chromium, whose WebGL is drawn by software:
//   node lab/page/page.mjs open RUN [ROWS]                           from the start of the browser to the tracks of a run's page
//   node lab/page/page.mjs solve DETECTIONS [ROWS]                   a solve in the page beside one of the command line on one thread
//   node lab/page/page.mjs scrub DETECTIONS [FRAMES] [ROWS]          steps through true tracks at 800 × 600, as many frames as are named [200]
// Seconds are those of the clock and of the processor, of the browser with all its processes or of the command line; of a solve also those of the busiest thread, for which it waits.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";

const [what, path, ...more] = process.argv.slice(2);
const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "rmap-page-"));
const now = () => performance.now() / 1000;
const TICKS = 100;

const rmap = (/** @type {string[]} */ ...args) =>
  execFileSync(process.execPath, [program, ...args], { encoding: "utf8" });

/** Processor seconds by a stat file of /proc. */
function secondsOf(/** @type {string} */ stat) {
  const [, ...fields] = readFileSync(stat, "utf8").split(") ");
  const [user, system] = fields.join(") ").split(" ").slice(11, 13).map(Number);
  return (user + system) / TICKS;
}

/** A process and those that it began. @returns {number[]} */
function processesOf(/** @type {number} */ pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return [pid, ...children.flatMap((child) => processesOf(Number(child)))];
}

/** Processor seconds of a process and of those that it began. */
const cpuOf = (/** @type {number} */ pid) =>
  processesOf(pid).reduce((sum, one) => sum + secondsOf(`/proc/${one}/stat`), 0);

/** The same by thread. @returns {Map<string, number>} */
const threadsOf = (/** @type {number} */ pid) =>
  new Map(
    processesOf(pid).flatMap((one) =>
      readdirSync(`/proc/${one}/task`).map((thread) => [thread, secondsOf(`/proc/${one}/task/${thread}/stat`)]),
    ),
  );

/** What the busiest thread took: with a core for it, and another for the rest, one waits no longer. */
const busiest = (/** @type {Map<string, number>} */ before, /** @type {Map<string, number>} */ after) =>
  Math.max(...[...after].map(([thread, seconds]) => seconds - (before.get(thread) ?? 0)));

async function chromium() {
  process.env.AWS_LAMBDA_JS_RUNTIME ??= "nodejs20.x";
  const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const { default: found } = await import(pathToFileURL(entry).href);
  const { default: puppeteer } = await import("puppeteer-core");
  const browser = await puppeteer.launch({
    args: found.args,
    executablePath: await found.executablePath(),
    headless: "shell",
    protocolTimeout: 600_000,
  });
  const page = await browser.newPage();
  await page.setViewport({ width: 800 + 368, height: 600 + 96 });
  await page.setOfflineMode(true);
  return { browser, page, pid: /** @type {number} */ (browser.process()?.pid) };
}

const print = (
  /** @type {import("../../dist/rows/measurement.js").Measurement} */ row,
  /** @type {string | undefined} */ file,
) => console.log(JSON.stringify(keepRow(file, { ...row, ...provenance(new Date()) })));

async function open(/** @type {string | undefined} */ rows) {
  const file = join(folder, "page.html");
  rmap("page", path, "-o", file);
  const began = now();
  const { browser, page, pid } = await chromium();
  const started = now();
  const cpu = cpuOf(pid);
  await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
  await page.waitForSelector("#bound", { timeout: 600_000 });
  const [shown, spent] = [now(), cpuOf(pid)];
  await browser.close();
  const seconds = { browser: started - began, tracks: shown - started };
  print(
    { benchmark: "page-open", input: path, bytes: readFileSync(file).length, seconds, cpuSeconds: spent - cpu },
    rows,
  );
}

async function solve(/** @type {string | undefined} */ rows) {
  const file = join(folder, "page.html");
  rmap("page", path, "-o", file);
  const { browser, page, pid } = await chromium();
  const before = { threads: threadsOf(pid), cpu: cpuOf(pid) };
  await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
  await page.waitForSelector("#solve:not(:disabled)", { timeout: 600_000 });
  const [began, cpu, threads] = [now(), cpuOf(pid), threadsOf(pid)];
  await page.click("#solve");
  await page.waitForSelector("#bound", { timeout: 600_000 });
  const [seconds, cpuSeconds] = [now() - began, cpuOf(pid) - cpu];
  const ofStart = { cpuSeconds: cpu - before.cpu, busiestThread: busiest(before.threads, threads) };
  const busiestThread = busiest(threads, threadsOf(pid));
  const bound = Number(await page.$eval("#bound", (element) => element.textContent));
  await browser.close();
  const start = now();
  const command = [process.execPath, program, "solve", path, "--threads", "1", "--device", "cpu", "--json", "-q"];
  const timed = spawnSync("bash", ["-c", 'TIMEFORMAT="%U %S"; time "$@"', "bash", ...command], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const spent = (timed.stderr.trim().split("\n").at(-1) ?? "").split(" ").reduce((sum, part) => sum + Number(part), 0);
  const { lowerBound, detections } = JSON.parse(timed.stdout);
  const commandLine = { seconds: now() - start, cpuSeconds: spent };
  print(
    {
      benchmark: "page-solve",
      input: path,
      detections,
      seconds,
      cpuSeconds,
      busiestThread,
      start: ofStart,
      commandLine,
      sameBound: bound === lowerBound,
      ratio: cpuSeconds / spent,
    },
    rows,
  );
}

async function scrub(/** @type {number} */ frames, /** @type {string | undefined} */ rows) {
  const file = join(folder, "page.html");
  rmap("page", path, "-o", file);
  const { browser, page, pid } = await chromium();
  await page.goto(`${pathToFileURL(file).href}#truth=beside&whole=0`, { waitUntil: "load" });
  await page.waitForSelector(".timeline", { timeout: 600_000 });
  const detections = Number((await page.$eval("#answer-title + p", (element) => element.textContent))?.split(" ")[0]);
  const [width, height] = await page.$eval("#picture", (element) => [element.clientWidth, element.clientHeight]);
  const [cpu, began] = [cpuOf(pid), now()];
  await page.evaluate(`(async () => {
    const slider = document.querySelector(".timeline input");
    const gl = document.getElementById("picture").getContext("webgl2");
    for (let step = 0; step < ${frames}; step++) {
      slider.value = String((step * 7) % (Number(slider.max) + 1));
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise(requestAnimationFrame);
      // Waits until it is drawn.
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
  })()`);
  const [seconds, cpuSeconds] = [now() - began, cpuOf(pid) - cpu];
  await browser.close();
  print(
    {
      benchmark: "page-scrub",
      input: path,
      detections,
      size: [width, height],
      frames,
      seconds,
      cpuSeconds,
      perSecond: frames / seconds,
    },
    rows,
  );
}

try {
  if (what === "open") await open(more[0]);
  else if (what === "solve") await solve(more[0]);
  else if (what === "scrub") await scrub(Number(more[0] ?? 200), more[1]);
  else throw new Error("name open, solve or scrub");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
