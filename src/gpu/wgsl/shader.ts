/** Reads WGSL files, with the pieces that they `#import`, and finds what the whole declares. It needs no device. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { notBeside } from "../../core/package-file.js";
import { type Declarations, parseDeclarations } from "./declarations.js";
import { KernelError } from "./kernel-error.js";
import { StructLayout } from "./struct-layout.js";

/** Texts that replace files, for pieces made at run time: `#import rule` takes `texts.rule` where it is given. */
export type ImportTexts = Readonly<Record<string, string>>;

/** A line of a file, from 1 on, as messages name it. */
interface Place {
  readonly file: string;
  readonly line: number;
}

const IMPORT = /^\s*#import\b(.*)$/;
/** `#unroll k 1..7 line`: the line once for each k, with the number for $k. */
const UNROLL = /^(\s*)#unroll\b(.*)$/;
/** WGSL requires these before everything else, so those of imported pieces move to the top. */
const DIRECTIVE = /^\s*(enable|requires|diagnostic)\b[^@]*;/;

/** Parsed shaders by their text, since a run makes the same ones many times. */
const parsed = new Map<string, Declarations>();

/**
 * A WGSL file with the pieces it imports. A line `#import name` is replaced by the file name.wgsl beside the importing one, `#import
 * ../folder/name` for one elsewhere; a piece that is imported more than once is taken once. A line `#unroll k 1..7 row[$k] = 0;` is replaced by
 * seven lines.
 */
export class Shader {
  /** The file as messages name it. */
  readonly name: string;
  /** The whole text that the device compiles. */
  readonly code: string;
  readonly #places: readonly Place[];
  readonly #declarations: Declarations;
  readonly #layouts = new Map<string, StructLayout>();

  /** @throws KernelError for an import that cannot be read and for a declaration that is none, with file and line */
  constructor(file: URL, texts: ImportTexts = {}) {
    const assembled = assemble(file, texts);
    this.name = shownName(file);
    this.code = assembled.code;
    this.#places = assembled.places;
    this.#declarations = parsed.get(this.code) ?? parseDeclarations(this.code, (line) => this.place(line));
    parsed.set(this.code, this.#declarations);
  }

  /** Where a line of `code`, from 1 on, comes from: "src/map/price.wgsl:14". */
  place(line: number): string {
    const place = this.#places[Math.min(Math.max(line, 1), this.#places.length) - 1];
    return `${place.file}:${place.line}`;
  }

  get declarations(): Declarations {
    return this.#declarations;
  }

  /** Size and field offsets of a struct that the file or a piece of it declares. */
  struct(name: string): StructLayout {
    let layout = this.#layouts.get(name);
    if (layout === undefined) {
      const { structs } = this.#declarations;
      if (!structs.has(name)) {
        throw new KernelError(`${this.name} declares no struct ${name}; it has ${[...structs.keys()].join(", ")}`);
      }
      layout = new StructLayout(name, this.#declarations, (line) => this.place(line));
      this.#layouts.set(name, layout);
    }
    return layout;
  }
}

function assemble(file: URL, texts: ImportTexts): { code: string; places: readonly Place[] } {
  const directives: { text: string; place: Place }[] = [];
  const body: { text: string; place: Place }[] = [];
  const taken = new Set<string>();

  const take = (key: string, name: string, text: string, base: URL): void => {
    taken.add(key);
    text.split("\n").forEach((line, k) => {
      const place = { file: name, line: k + 1 };
      const imported = IMPORT.exec(line);
      const unrolled = UNROLL.exec(line);
      if (imported !== null) follow(importedName(imported[1], place), place, base);
      else if (unrolled !== null) body.push(...unrolledLines(unrolled, place).map((text) => ({ text, place })));
      else if (DIRECTIVE.test(line)) directives.push({ text: line, place });
      else body.push({ text: line, place });
    });
  };
  const follow = (name: string, from: Place, base: URL): void => {
    const given = Object.hasOwn(texts, name) ? texts[name] : null;
    const target = new URL(`${name}.wgsl`, base);
    const key = given === null ? target.href : `text ${name}`;
    if (taken.has(key)) return;
    if (given !== null) {
      take(key, `text "${name}"`, given, base);
      return;
    }
    take(key, shownName(target), readPiece(target, name, from), target);
  };

  take(file.href, shownName(file), readPiece(file, null, null), file);
  const lines = [...directives, ...body];
  return { code: lines.map(({ text }) => text).join("\n"), places: lines.map(({ place }) => place) };
}

/** Drivers keep arrays that are indexed by a loop in memory, and not in registers: such lines are written out. */
function unrolledLines([, indent, rest]: readonly string[], { file, line }: Place): string[] {
  const [, name, first, last, text] = /^\s+([a-z]\w*)\s+(\d+)\.\.(\d+)\s+(.+)$/.exec(rest) ?? [];
  if (text === undefined || !text.includes(`$${name}`)) {
    throw new KernelError(
      `${file}:${line}: "#unroll${rest}" is no line to repeat; write #unroll k 1..7 and a line with $k`,
    );
  }
  const numbers = Array.from({ length: Number(last) - Number(first) + 1 }, (_, k) => Number(first) + k);
  return numbers.map((number) => indent + text.replaceAll(new RegExp(`\\$${name}\\b`, "g"), String(number)));
}

function importedName(rest: string, { file, line }: Place): string {
  const name = /^\s+([\w./-]+)\s*(\/\/.*)?$/.exec(rest)?.[1];
  if (name === undefined || name.endsWith(".wgsl")) {
    throw new KernelError(
      `${file}:${line}: "#import${rest}" names no piece; write #import name for name.wgsl beside it`,
    );
  }
  return name;
}

function readPiece(file: URL, name: string | null, from: Place | null): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    if (from === null) throw new KernelError(notBeside(`the kernel ${shownName(file)}`));
    throw new KernelError(`${from.file}:${from.line}: #import ${name} finds no ${shownName(file)}`);
  }
}

function shownName(file: URL): string {
  const path = fileURLToPath(file);
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
