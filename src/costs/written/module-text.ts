import type { AnyNode, ArrowFunctionExpression, FunctionDeclaration, FunctionExpression, Program } from "acorn";
import { messageOf } from "../message.js";

/** Something of JavaScript that is not translated: triplets are then priced by V8 alone, and stored. */
export class NotTranslated extends Error {}

export type FunctionNode = ArrowFunctionExpression | FunctionDeclaration | FunctionExpression;

interface Declared {
  /** The whole statement, without `export`. */
  readonly statement: AnyNode;
  readonly init: AnyNode | null;
  readonly isConstant: boolean;
}

const FUNCTIONS = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"];

export const isFunction = (node: AnyNode | null | undefined): node is FunctionNode =>
  FUNCTIONS.includes(node?.type ?? "");

/** What a module declares at its top level. */
export class ModuleText {
  readonly #declared = new Map<string, Declared>();
  /** Names within the module by those under which it exports them. */
  readonly #exported = new Map<string, string>();

  constructor(
    private readonly text: string,
    { body }: Program,
  ) {
    for (const statement of body) {
      const isExport = statement.type === "ExportNamedDeclaration";
      const declaration = isExport ? statement.declaration : statement;
      for (const name of this.#declare(declaration ?? null)) if (isExport) this.#exported.set(name, name);
      for (const { local, exported } of isExport && !statement.source ? statement.specifiers : [])
        if (local.type === "Identifier" && exported.type === "Identifier")
          this.#exported.set(exported.name, local.name);
    }
  }

  #declare(statement: AnyNode | null): string[] {
    if (statement?.type === "FunctionDeclaration" || statement?.type === "ClassDeclaration") {
      const name = statement.id?.name ?? "";
      this.#declared.set(name, { statement, init: statement, isConstant: true });
      return [name];
    }
    if (statement?.type !== "VariableDeclaration") return [];
    return statement.declarations.flatMap(({ id, init }) => {
      if (id.type !== "Identifier") return [];
      this.#declared.set(id.name, { statement, init: init ?? null, isConstant: statement.kind === "const" });
      return [id.name];
    });
  }

  has(name: string): boolean {
    return this.#declared.has(name);
  }

  /** The function that the module exports under a name, and what it is called within; null where it exports none, or no function. */
  exportedFunction(exported: string): { readonly name: string; readonly node: FunctionNode } | null {
    const name = this.#exported.get(exported);
    const node = name === undefined ? null : this.#declared.get(name)?.init;
    return name !== undefined && isFunction(node) ? { name, node } : null;
  }

  /** A function that the module declares, else null. */
  functionOf(name: string): FunctionNode | null {
    const declared = this.#declared.get(name);
    return declared?.isConstant === true && isFunction(declared.init) ? declared.init : null;
  }

  /** A function's text as a declaration. */
  declarationOf(name: string, node: FunctionNode): string {
    const text = this.text.slice(node.start, node.end);
    return node.type === "FunctionDeclaration" ? text : `const ${name} = ${text};`;
  }

  /**
   * The value of a constant, as V8 computes it from the module's own text.
   * @throws NotTranslated where it may change, or needs more than this text
   */
  constant(name: string): unknown {
    const needed = new Set<string>();
    const need = (one: string): void => {
      const declared = this.#declared.get(one);
      if (declared === undefined || needed.has(one)) return;
      if (!declared.isConstant) throw new NotTranslated(`${one} is no const, and may change between two calls`);
      needed.add(one);
      namesIn(declared.init).forEach(need);
    };
    need(name);
    const statements = new Set(Array.from(needed, (one) => (this.#declared.get(one) as Declared).statement));
    const inOrder = [...statements].sort((a, b) => a.start - b.start);
    const text = inOrder.map(({ start, end }) => this.text.slice(start, end)).join(";\n");
    try {
      return new Function(`"use strict";\n${text};\nreturn ${name};`)();
    } catch (error) {
      throw new NotTranslated(`${name} cannot be computed from the constants of the file alone: ${messageOf(error)}`);
    }
  }

  /** "line 3, column 5" of a node. */
  place({ start }: AnyNode): string {
    const lines = this.text.slice(0, start).split("\n");
    return `line ${lines.length}, column ${lines[lines.length - 1].length + 1}`;
  }

  textOf({ start, end }: AnyNode): string {
    const text = this.text.slice(start, end).replace(/\s+/g, " ");
    return text.length > 40 ? `${text.slice(0, 40)} …` : text;
  }
}

/** Every name in a piece of a program, those of properties among them. */
export function namesIn(node: unknown): Set<string> {
  if (typeof node !== "object" || node === null) return new Set();
  const { type, name } = node as { type?: string; name?: string };
  if (type === "Identifier" && name !== undefined) return new Set([name]);
  return new Set(Object.values(node).flatMap((part) => [...namesIn(part)]));
}
