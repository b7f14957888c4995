/** A user's folder in which the packed package is installed, without the optional packages. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>;
}

/** A new folder above which no packages are installed: Node would find them from there. */
function emptyFolder(): string {
  const isBare = (folder: string): boolean =>
    !existsSync(join(folder, "node_modules")) && (dirname(folder) === folder || isBare(dirname(folder)));
  const place = [tmpdir(), "/var/tmp", homedir()].find((folder) => existsSync(folder) && isBare(folder));
  if (place === undefined) throw new Error("no folder for temporary files is free of node_modules");
  return mkdtempSync(join(place, "rmap-consumer-"));
}

/**
 * The folder as `npm pack` and `npm install` would leave it, without a network: the packed files, and of the checkout's node_modules what
 * package.json and its dependencies name.
 */
export function consumerFolder(): string {
  const folder = emptyFolder();
  const installed = join(folder, "node_modules");
  mkdirSync(join(installed, "rmap"), { recursive: true });
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
  execFileSync("tar", ["-xzf", join(folder, packed), "-C", join(installed, "rmap"), "--strip-components=1"]);
  const copied = new Set<string>();
  const installFor = (owner: string) => {
    const { dependencies, optionalDependencies } = manifestOf(owner);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      // npm leaves out what is for other systems.
      if (!existsSync(join("node_modules", name))) continue;
      // Packages of another version lie in the folder of the package that needs them, and were copied with it.
      const nested = join(owner, "node_modules", name);
      const place = existsSync(nested) ? nested : join(installed, name);
      if (copied.has(place)) continue;
      copied.add(place);
      if (place !== nested) cpSync(join("node_modules", name), place, { recursive: true, dereference: true });
      installFor(place);
    }
  };
  installFor(join(installed, "rmap"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }\n');
  return folder;
}

export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** Kilobytes on a disk with blocks of 4, as `du -sk` counts them. */
export function sizeOf(path: string): number {
  const entry = statSync(path);
  const blocks = 4 * Math.ceil(entry.size / 4096);
  return entry.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), blocks) : blocks;
}
