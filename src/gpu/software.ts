/**
 * Software Vulkan for machines without a GPU: SwiftShader and the Vulkan loader from the npm package @sparticuz/chromium,
 * unpacked once into a cache folder. Needs no root, no system package and no restart of the process.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { missing } from "../core/optional-package.js";
import { DeviceError } from "./device-error.js";

const PACKAGE = "@sparticuz/chromium";
const LOADER = "libvulkan.so.1";
const DRIVER = "libvk_swiftshader.so";
const MANIFEST = "vk_swiftshader_icd.json";
/** glibc's RTLD_NODELETE, which node:os does not export: the library stays loaded although it is no Node addon. */
const RTLD_NODELETE = 0x1000;
const TAR_BLOCK = 512;

export interface SoftwareDriver {
  readonly loader: string;
  readonly manifest: string;
}

/** Unpacks the driver unless the cache has it. Throws DeviceError where the package is not installed or cannot be unpacked. */
export function softwareDriver(): SoftwareDriver {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new DeviceError(
      `no software adapter for ${process.platform}-${process.arch}: it exists for linux-x64; use a GPU or the CPU`,
    );
  }
  const { version, archive } = findArchive();
  const folder = join(cacheFolder(), `swiftshader-${version}`);
  if (!existsSync(folder)) unpack(archive, folder);
  return { loader: join(folder, LOADER), manifest: join(folder, MANIFEST) };
}

/**
 * Makes Dawn's dlopen("libvulkan.so.1") find the unpacked loader: glibc answers by soname once a library of that name is
 * loaded, so neither LD_LIBRARY_PATH nor a second process is needed. Node refuses the library as an addon, which is expected.
 */
export function pinLoader(driver: SoftwareDriver): void {
  hasSystemLoader();
  const problem = load(driver.loader);
  if (problem !== null) throw new DeviceError(`the Vulkan loader ${driver.loader} did not load: ${problem}`);
}

let systemLoader: boolean | null = null;

/**
 * Whether Dawn can be asked for the system's adapters; without a Vulkan loader it would only warn on stderr.
 * The answer is found once, before the bundled loader is loaded and could be taken for the system's.
 */
export function hasSystemLoader(): boolean {
  systemLoader ??= process.platform !== "linux" || load(LOADER) === null;
  return systemLoader;
}

/** The dynamic linker's error message for a library, or null if it is loaded now. */
function load(library: string): string | null {
  try {
    process.dlopen({ exports: {} }, library, constants.dlopen.RTLD_NOW | RTLD_NODELETE);
    return null;
  } catch (error) {
    const { message } = error as Error;
    return /self-register/.test(message) ? null : message;
  }
}

function findArchive(): { version: string; archive: string } {
  const require = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = require.resolve(PACKAGE);
  } catch {
    throw new DeviceError(missing("--device software", [`${PACKAGE}@138`]));
  }
  let folder = dirname(entry);
  while (!existsSync(join(folder, "bin", "swiftshader.tar.br"))) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new DeviceError(`${entry} comes without bin/swiftshader.tar.br; install ${PACKAGE}@138`);
    folder = parent;
  }
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return { version: manifest.version, archive: join(folder, "bin", "swiftshader.tar.br") };
}

function cacheFolder(): string {
  const wanted = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "rmap");
  try {
    mkdirSync(wanted, { recursive: true });
    return wanted;
  } catch {
    return mkdtempSync(join(process.env.SLURM_TMPDIR ?? tmpdir(), "rmap-"));
  }
}

/** Writes the three files needed into a new folder and renames it into place, so that processes may race for it. */
function unpack(archive: string, folder: string): void {
  const tar = brotliDecompressSync(readFileSync(archive));
  const fresh = mkdtempSync(`${folder}-`);
  for (let at = 0; at + TAR_BLOCK <= tar.length && tar[at] !== 0; ) {
    const name = text(tar, at, 100).replace(/^\.\//, "");
    const size = Number.parseInt(text(tar, at + 124, 12), 8);
    if (name === LOADER || name === DRIVER || name === MANIFEST) {
      writeFileSync(join(fresh, name), tar.subarray(at + TAR_BLOCK, at + TAR_BLOCK + size), { mode: 0o755 });
    }
    at += TAR_BLOCK + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

function text(bytes: Buffer, from: number, length: number): string {
  return bytes.toString("latin1", from, from + length).replace(/\0.*$/s, "");
}
