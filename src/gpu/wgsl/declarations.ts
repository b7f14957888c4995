/**
 * Reads what a WGSL module declares outside its functions: structs, bindings, overrides, constants and the entry point. Function bodies
 * are skipped, and the device's compiler checks the rest.
 *
 * This is our own code because wgsl_reflect 1.6.0, which webgpu-utils builds on, refuses 28 of 66 kernels here (it takes `i < n` in a for loop for a
 * template list), takes twice as long for the others, and its entry for Node does not load as a module.
 */
import { KernelError } from "./kernel-error.js";

/** array<vec4f, 4> is { name: "array", of: [vec4f, 4] }; a length is kept as its text. */
export interface WgslType {
  readonly name: string;
  readonly of: readonly WgslType[];
}

export interface Member {
  readonly name: string;
  readonly type: WgslType;
  readonly line: number;
  /** Argument of @align, or null. */
  readonly align: number | null;
}

export interface Binding {
  readonly name: string;
  readonly binding: number;
  /** "uniform", "storage", or "" for textures. */
  readonly space: string;
  readonly access: string;
  readonly type: WgslType;
  readonly line: number;
}

export interface Override {
  readonly name: string;
  /** As written, or null where the host must set it. */
  readonly value: string | null;
  readonly line: number;
}

export interface Declarations {
  readonly structs: ReadonlyMap<string, readonly Member[]>;
  readonly bindings: ReadonlyMap<string, Binding>;
  readonly overrides: ReadonlyMap<string, Override>;
  /** const name = value, as written. */
  readonly constants: ReadonlyMap<string, string>;
  readonly aliases: ReadonlyMap<string, WgslType>;
  /** Compute entry points with the arguments of @workgroup_size as written. */
  readonly entries: ReadonlyMap<string, readonly string[]>;
}

interface Token {
  readonly text: string;
  readonly line: number;
}

/** An attribute's arguments by its name. */
type Attributes = ReadonlyMap<string, readonly string[]>;

/** @param place names a line, from 1 on, for messages */
export function parseDeclarations(code: string, place: (line: number) => string): Declarations {
  const block = code.split("\n").findIndex((line) => line.includes("/*"));
  if (block >= 0) throw new KernelError(`${place(block + 1)}: kernels have comments after // alone`);
  return new Parser(tokenize(code.replace(/\/\/.*/g, "")), place).run();
}

function tokenize(code: string): Token[] {
  const tokens: Token[] = [];
  code.split("\n").forEach((text, k) => {
    for (const [token] of text.matchAll(/[\p{L}_][\p{L}\p{N}_]*|[\d.][\w.]*|\S/gu)) {
      tokens.push({ text: token, line: k + 1 });
    }
  });
  return tokens;
}

class Parser implements Declarations {
  readonly structs = new Map<string, readonly Member[]>();
  readonly bindings = new Map<string, Binding>();
  readonly overrides = new Map<string, Override>();
  readonly constants = new Map<string, string>();
  readonly aliases = new Map<string, WgslType>();
  readonly entries = new Map<string, readonly string[]>();
  #at = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly place: (line: number) => string,
  ) {}

  run(): Declarations {
    while (this.#at < this.tokens.length) this.#declaration();
    return this;
  }

  #declaration(): void {
    const attributes = this.#attributes();
    const { text, line } = this.#next();
    switch (text) {
      case ";":
        return;
      case "struct":
        this.#struct();
        return;
      case "var":
        this.#variable(attributes, line);
        return;
      case "override":
      case "const": {
        const name = this.#next().text;
        if (this.#peek() === ":") this.#typeAfterColon();
        const value = this.#peek() === "=" ? this.#upToSemicolon().slice(1).join(" ") : null;
        if (text === "override") this.overrides.set(name, { name, value, line });
        else this.constants.set(name, value ?? "");
        return;
      }
      case "alias": {
        const name = this.#next().text;
        this.#expect("=");
        this.aliases.set(name, this.#type());
        return;
      }
      case "fn": {
        const name = this.#next().text;
        if (attributes.has("compute")) this.entries.set(name, attributes.get("workgroup_size") ?? []);
        while (this.#peek() !== "{") this.#next();
        this.#balanced("{", "}");
        return;
      }
      case "enable":
      case "requires":
      case "diagnostic":
      case "const_assert":
        this.#upToSemicolon();
        return;
      default:
        throw new KernelError(`${this.place(line)}: "${text}" begins no declaration`);
    }
  }

  #struct(): void {
    const name = this.#next().text;
    const members: Member[] = [];
    this.#expect("{");
    while (this.#peek() !== "}") {
      const attributes = this.#attributes();
      const align = attributes.get("align")?.[0];
      const { text: member, line } = this.#next();
      if (attributes.has("size"))
        throw new KernelError(`${this.place(line)}: ${member} has a @size, which the host does not know`);
      const type = this.#typeAfterColon();
      members.push({ name: member, type, line, align: align === undefined ? null : Number.parseInt(align, 10) });
      if (this.#peek() === ",") this.#next();
    }
    this.#expect("}");
    this.structs.set(name, members);
  }

  #variable(attributes: Attributes, line: number): void {
    const [space = "", access = ""] = this.#peek() === "<" ? this.#templateWords() : [];
    const name = this.#next().text;
    const type = this.#peek() === ":" ? this.#typeAfterColon() : { name: "", of: [] };
    this.#upToSemicolon();
    const binding = attributes.get("binding")?.[0];
    if (binding === undefined) return;
    const number = Number.parseInt(binding, 10);
    const [group] = attributes.get("group") ?? [];
    if (group !== "0") throw new KernelError(`${this.place(line)}: ${name} must be bound in @group(0), the only one`);
    for (const other of this.bindings.values()) {
      if (other.binding !== number && other.name !== name) continue;
      throw new KernelError(
        `${this.place(line)}: @binding(${number}) ${name} and @binding(${other.binding}) ${other.name} at ${this.place(other.line)} clash`,
      );
    }
    this.bindings.set(name, { name, binding: number, space, access, type, line });
  }

  #attributes(): Attributes {
    const attributes = new Map<string, readonly string[]>();
    while (this.#peek() === "@") {
      this.#next();
      const { text: name } = this.#next();
      const inside = this.#peek() === "(" ? this.#balanced("(", ")") : [];
      attributes.set(name, splitAtCommas(inside));
    }
    return attributes;
  }

  #templateWords(): string[] {
    return splitAtCommas(this.#balanced("<", ">"));
  }

  #typeAfterColon(): WgslType {
    this.#expect(":");
    return this.#type();
  }

  #type(): WgslType {
    const { text: name } = this.#next();
    const of: WgslType[] = [];
    if (this.#peek() === "<") {
      do {
        this.#next();
        if (this.#peek() === ">") break;
        of.push(this.#templateArgument());
      } while (this.#peek() === ",");
      this.#expect(">");
    }
    return { name, of };
  }

  /** A type, or an expression for a length, which is kept as its text. */
  #templateArgument(): WgslType {
    const { name, of } = this.#type();
    const words = [name];
    while (this.#peek() !== "," && this.#peek() !== ">") words.push(this.#next().text);
    return { name: words.join(" "), of };
  }

  /** The tokens between an opening bracket, which comes next, and its partner. */
  #balanced(opening: string, closing: string): string[] {
    const inside: string[] = [];
    for (let depth = 0; ; ) {
      const { text } = this.#next();
      if (text === opening) depth++;
      if (text === closing && --depth === 0) return inside.slice(1);
      inside.push(text);
    }
  }

  #upToSemicolon(): string[] {
    const words: string[] = [];
    for (let text = this.#next().text; text !== ";"; text = this.#next().text) words.push(text);
    return words;
  }

  #peek(): string | undefined {
    return this.tokens[this.#at]?.text;
  }

  #next(): Token {
    const token = this.tokens[this.#at++];
    if (token !== undefined) return token;
    const last = this.tokens.at(-1)?.line ?? 1;
    throw new KernelError(`${this.place(last)}: the file ends within a declaration`);
  }

  #expect(text: string): void {
    const { text: found, line } = this.#next();
    if (found !== text) throw new KernelError(`${this.place(line)}: "${text}" was expected, not "${found}"`);
  }
}

function splitAtCommas(words: readonly string[]): string[] {
  const parts = words.join(" ").split(",");
  return parts.map((part) => part.trim()).filter((part) => part.length > 0);
}
