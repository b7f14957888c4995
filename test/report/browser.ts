import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { afterAll, beforeAll } from "vitest";

interface Chromium {
  readonly args: string[];
  executablePath(): Promise<string>;
}

/**
 * A headless Chromium for a file's tests: the one of @sparticuz/chromium, or of RMAP_CHROMIUM where that is set. Where there is
 * none the tests fail.
 */
export function browserForTests(draws: "paper" | "webgl" = "paper"): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launch(draws);
  });
  afterAll(async () => {
    await browser?.close();
  });
  return () => {
    if (browser === undefined) throw new Error("no browser");
    return browser;
  };
}

/** WebGPU by the software driver that the browser brings. */
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

async function launch(draws: "paper" | "webgl"): Promise<Browser> {
  const installed = process.env.RMAP_CHROMIUM;
  const software = draws === "webgl" ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", ...WEBGPU] : [];
  if (installed) return puppeteer.launch({ executablePath: installed, args: ["--no-sandbox", ...software] });
  // Makes the package unpack the libraries that a bare system lacks, and put them on the child's path.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= "nodejs20.x";
  const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const chromium = ((await import(pathToFileURL(entry).href)) as { default: Chromium }).default;
  // Pages without WebGL are painted without the software GPU, which takes five times the processor time.
  const args = draws === "webgl" ? [...chromium.args, ...WEBGPU] : [...chromium.args, "--disable-gpu"];
  return puppeteer.launch({ executablePath: await chromium.executablePath(), args, headless: "shell" });
}

export interface Visit {
  readonly page: Page;
  /** Errors of scripts, and whatever the console said. */
  readonly complaints: readonly string[];
  /** Requests for anything but the page itself. */
  readonly requests: readonly string[];
}

/** Opens a file as a reader does, offline; `hash` is the address's end, and its policy may be left out. */
export async function visit(browser: Browser, file: string, hash = "", hasPolicy = true): Promise<Visit> {
  const page = await browser.newPage();
  await page.setBypassCSP(!hasPolicy);
  const complaints: string[] = [];
  const requests: string[] = [];
  const address = pathToFileURL(file).href;
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (url.replace(/#.*/, "") !== address && !/^(data|blob):/.test(url)) requests.push(url);
  });
  // Other tests take the processor, too.
  page.setDefaultTimeout(180_000);
  await page.setViewport({ width: 1200, height: 900 });
  await page.setOfflineMode(true);
  await page.goto(address + hash, { waitUntil: "load" });
  return { page, complaints, requests };
}
