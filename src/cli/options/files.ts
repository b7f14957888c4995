/** The files that a command line names, and which of them are read and which written: no file may be both, nor be written twice. */
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { imagesIn } from "../../files/images/sequence.js";
import { refuse } from "../../files/refusal.js";
import { jsonLimit } from "../../files/text-file.js";
import { ensureFolder } from "../../files/whole-file.js";
import { INSTANCE_FILES } from "../../formats/instance-files.js";

/** An option or argument that names files, and how the command uses them. */
export interface FileUse {
  /** As messages name it: "--output", "<detections>". */
  readonly label: string;
  readonly use: "read" | "written";
  readonly files: readonly string[];
}

/** A parser whose values name files. Everything that names a file on a command line has one, so that `refuseShared` knows of it. */
export interface FileParser<T> {
  (text: string, before?: unknown): T;
  readonly use: FileUse["use"];
  /** The files behind a value: itself, or those of a folder that the command reads or writes. */
  readonly files: (value: T) => readonly string[];
}

const naming =
  (use: FileUse["use"]) =>
  <T>(parse: (text: string) => T, files: FileParser<T>["files"]): FileParser<T> =>
    Object.assign((text: string) => parse(noOption(text)), { use, files });

export const reading = naming("read");
export const writing = naming("written");

/** An option without its value would take the next option for it, and write a file of that name. */
function noOption(text: string): string {
  if (!/^--?[a-z]/i.test(text)) return text;
  throw new InvalidArgumentError(`That is an option. Give a path; ./${text} is a file of this name.`);
}

/** An argument that may be given several times, each by `one`. */
export const several = <T>(one: FileParser<T>): FileParser<T[]> =>
  Object.assign((text: string, before: unknown = []) => [...(before as T[]), one(text)], {
    use: one.use,
    files: (values: T[]) => values.flatMap(one.files),
  });

function path(text: string): string {
  if (text === "") throw new InvalidArgumentError("Give a path.");
  return text;
}

const itself = (file: string) => [file];
const within = (names: readonly string[]) => (folder: string) => [folder, ...names.map((name) => join(folder, name))];

export const inputFile = reading(path, itself);
/** A file, or a folder in which files of these names are read. */
export const inputFolder = (names: readonly string[]) => reading(path, within(names));
/** A scenario, detections or an instance folder. */
export const problemInput = inputFolder(INSTANCE_FILES);
/** An image, or a sequence of images: a folder, a glob, a file of many frames. */
export const imageInput = reading(path, (images) => imagesIn(images) ?? [images]);
export const outputFile = writing(path, itself);
/** A folder in which files of these names are written, or removed since they would pass for this run's. */
export const outputFolder = (names: readonly string[]) => writing(path, within(names));

/**
 * Refuses a command line on which an output is an input or another output, by whatever links, before anything is opened. Where standard input or output is a
 * file it counts too. Then makes the folders that the outputs are to be in, so that none is refused after the work.
 */
export function prepareFiles(command: Command): void {
  const uses: FileUse[] = [];
  const add = (label: string, parser: unknown, value: unknown) => {
    if (typeof parser !== "function" || !("files" in parser) || value === undefined) return;
    const { use, files } = parser as FileParser<unknown>;
    uses.push({ label, use, files: files(value) });
  };
  command.registeredArguments.forEach((argument, n) => {
    add(`<${argument.name()}>`, argument.parseArg, command.processedArgs[n]);
  });
  const values = command.opts();
  for (const option of command.options)
    add(option.long ?? option.flags, option.parseArg, values[option.attributeName()]);
  refuseShared(uses);
  for (const { use, files } of uses) {
    // Those that write several files are given the folder itself, and make it.
    const folder = use === "written" && files.length === 1 ? dirname(files[0]) : null;
    if (folder !== null && !existsSync(folder)) ensureFolder(folder);
  }
}

/** @throws InputError where a file is used twice and one of the uses writes it, and for links in place of files that the user did not name */
export function refuseShared(uses: readonly FileUse[]): void {
  const written = uses.filter(({ use }) => use === "written");
  if (written.length === 0 && identityOf(STDOUT) === null) return;
  for (const { files } of written) for (const file of files.slice(1)) refuseLink(file);
  const seen = new Map<string, { readonly by: FileUse; readonly file: string }>();
  for (const by of [...written, { label: "standard output", use: "written", files: [STDOUT] } as const]) {
    for (const file of by.files) {
      const identity = identityOf(file);
      if (identity === null) continue;
      const other = seen.get(identity);
      if (other !== undefined && other.by !== by) refuseTwice(by, file, other.file, `${other.by.label} writes`);
      seen.set(identity, { by, file });
    }
  }
  for (const { label, files } of uses.filter(({ use }) => use === "read")) {
    for (const file of withThoseInJson(files)) {
      const other = seen.get(identityOf(file === "-" ? "/dev/stdin" : file) ?? "");
      if (other !== undefined) refuseTwice(other.by, other.file, file, `${label} reads`);
    }
  }
}

const STDOUT = "/dev/stdout";

function refuseTwice({ label }: FileUse, file: string, other: string, use: string): never {
  refuse(label, `${file} is the same file as ${other}, which ${use}`, "name another file");
}

/** A link in a folder may lead to a file that nobody means to lose. */
function refuseLink(file: string): void {
  if (isLink(file))
    refuse(file, "is a link, and results are not written through links", "remove it, or name another folder");
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // The command itself refuses a path that cannot be looked at.
    return false;
  }
}

/**
 * A key that all names of a file share: its device and inode, or the place where it would be made. null for folders, devices and pipes, which may be named
 * several times, and for paths that cannot be read: the command itself refuses them.
 */
function identityOf(file: string): string | null {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return placeOf(resolve(file));
    return stat.isFile() ? `${stat.dev}:${stat.ino}` : null;
  } catch {
    return null;
  }
}

/** The path of a file that is not there, links resolved. */
function placeOf(file: string): string {
  if (existsSync(file)) return realpathSync(file);
  const link = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  return link ? placeOf(resolve(dirname(file), readlinkSync(file))) : join(placeOf(dirname(file)), basename(file));
}

/** The files, and those that JSON files among them name: a scenario's recording, a sweep's base. */
function withThoseInJson(files: readonly string[]): ReadonlySet<string> {
  const all = new Set(files);
  // The loop over a set also visits the names that are added meanwhile.
  for (const file of all) {
    for (const name of /\.json$/i.test(file) ? textsOf(file) : []) {
      for (const one of problemInput.files(resolve(dirname(file), name))) if (existsSync(one)) all.add(one);
    }
  }
  return all;
}

/** Keys of scenarios and sweeps whose texts name no file. */
const NAMES = new Set(["name", "description"]);

/** The texts in a JSON file; none where it cannot be read: the command itself says why. */
function textsOf(file: string): ReadonlySet<string> {
  const texts = new Set<string>();
  try {
    const stat = statSync(file);
    // A pipe can be read only once.
    if (!stat.isFile() || stat.size > jsonLimit.maxBytes) return texts;
    JSON.parse(readFileSync(file, "utf8"), (key, value) => {
      // A name is no path, and results are often called by it.
      if (typeof value === "string" && value !== "" && !NAMES.has(key)) texts.add(value);
    });
  } catch {
    return texts;
  }
  return texts;
}
