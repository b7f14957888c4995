import type {
  AnyNode,
  AssignmentExpression,
  BinaryExpression,
  Expression,
  ForOfStatement,
  ForStatement,
  Pattern,
  Statement,
  VariableDeclaration,
} from "acorn";
import { Expressions } from "./expressions.js";
import { type FunctionNode, isFunction, type ModuleText, NotTranslated } from "./module-text.js";
import { type Computed, computed, itemsOf, numberOf, toBoolean, toNumber, type Value } from "./values.js";

/** Rounds after which a loop ends on a device, where an endless one would stop the machine; a result that is wrong for it is found by the samples. */
const MOST_ROUNDS = 4096;

type Names = Map<string, Value>;

/** What the statements of one function share. */
interface Body {
  readonly lines: string[];
  /** Of what it returns, once that is known. */
  kind: Computed["kind"] | null;
}

/** The user's functions as functions of WGSL, each anew for the kinds of arguments that it is called with. */
export class Functions {
  readonly expressions: Expressions;
  /** Functions of the module that are called. */
  readonly called = new Map<string, FunctionNode>();
  /** What is declared in WGSL so far. */
  readonly texts: string[] = [];
  readonly #made = new Map<string, Computed>();
  readonly #open: string[] = [];
  #names = 0;

  constructor(
    private readonly module: ModuleText,
    parameters: readonly string[],
  ) {
    this.expressions = new Expressions(module, parameters, (name, { node }, args) => this.call(name, node, args));
  }

  /** The call of a function with some arguments, which is declared where it is not yet. */
  call(name: string, node: FunctionNode, args: readonly Value[]): Computed {
    if (this.#open.includes(name)) throw new NotTranslated(`${name} calls itself`);
    if (node.async || node.generator) throw new NotTranslated(`${name} is async or a generator`);
    if (this.module.functionOf(name) === node) this.called.set(name, node);
    const passed = args.filter(isPassed);
    const key = [name, node.start, ...args.map((value) => (isPassed(value) ? value.kind : JSON.stringify(value)))].join(
      " ",
    );
    const before = this.#made.get(key);
    this.#open.push(name);
    const made = before ?? this.#declare(name, node, args);
    this.#open.pop();
    this.#made.set(key, made);
    return { kind: made.kind, text: `${made.text}(${passed.map(({ text }) => text).join(", ")})` };
  }

  #declare(name: string, node: FunctionNode, args: readonly Value[]): Computed {
    const scope: Names = new Map();
    const body: Body = { lines: [], kind: null };
    const taken: string[] = [];
    const inside = args.map((value): Value => {
      if (!isPassed(value)) return value;
      const text = this.#fresh(value.kind);
      taken.push(`${text}: ${TYPES[value.kind]}`);
      return { kind: value.kind, text };
    });
    node.params.forEach((pattern, k) => {
      this.#bind(pattern, inside[k] ?? { kind: "constant", value: undefined }, scope, body, "let");
    });
    if (node.body.type === "BlockStatement") this.#statements(node.body.body, scope, body);
    else this.#return(node.body, scope, body);
    const { kind } = body;
    if (kind === null) throw new NotTranslated(`${this.module.place(node)}: ${name} returns nothing`);
    if (!/^return /.test(body.lines.at(-1) ?? "")) body.lines.push(kind === "number" ? "return 0.0;" : "return false;");
    const text = this.#fresh("function");
    this.texts.push(
      `fn ${text}(${taken.join(", ")}) -> ${TYPES[kind]} {`,
      ...body.lines.map((line) => `  ${line}`),
      "}",
    );
    return { kind, text };
  }

  #fresh(what: string): string {
    return `${what}_${this.#names++}`;
  }

  /** Gives the names of a pattern their values. */
  #bind(pattern: Pattern, value: Value, scope: Names, body: Body, kind: "const" | "let"): void {
    if (pattern.type === "AssignmentPattern") {
      const isMissing = value.kind === "constant" && value.value === undefined;
      const given = isMissing ? this.#emptyOr(pattern.right, scope) : value;
      this.#bind(pattern.left, given, scope, body, kind);
    } else if (pattern.type === "Identifier") {
      scope.set(pattern.name, this.#keep(value, body, kind));
    } else if (pattern.type === "ObjectPattern") {
      for (const property of pattern.properties) {
        if (property.type === "RestElement" || property.computed || property.key.type !== "Identifier")
          throw this.expressions.placed(new NotTranslated("only names are taken out of an object"), property);
        this.#bind(property.value, this.expressions.property(value, property.key.name), scope, body, kind);
      }
    } else if (pattern.type === "ArrayPattern" && itemsOf(value) !== null) {
      const items = itemsOf(value) ?? [];
      pattern.elements.forEach((element, k) => {
        if (element !== null) this.#bind(element, items[k], scope, body, kind);
      });
    } else throw this.expressions.placed(new NotTranslated("it is not among what is translated"), pattern);
  }

  /** The default of an argument; `{}` stands for parameters of which none is given. */
  #emptyOr(node: Expression, scope: Names): Value {
    const isEmpty = node.type === "ObjectExpression" && node.properties.length === 0;
    return isEmpty ? { kind: "parameters" } : this.expressions.translate(node, scope);
  }

  /** A value under a name of its own, computed once: what it was made of may change afterwards. */
  #keep(value: Value, body: Body, kind: "const" | "let"): Value {
    if (value.kind === "list")
      return { kind: "list", items: value.items.map((item) => this.#keep(item, body, "const")) };
    const isKnown = value.kind === "constant" && (kind === "const" || typeof value.value === "object");
    if (isKnown || !(value.kind === "constant" || value.kind === "number" || value.kind === "boolean")) return value;
    if (value.kind === "constant" && value.value === undefined) return value;
    const { kind: type, text } = computed(value);
    const name = this.#fresh(type);
    body.lines.push(`${kind === "const" ? "let" : "var"} ${name} = ${text};`);
    return { kind: type, text: name };
  }

  #statements(statements: readonly Statement[], outer: ReadonlyMap<string, Value>, body: Body): void {
    const scope = new Map(outer);
    for (const statement of statements) {
      try {
        this.#statement(statement, scope, body);
      } catch (error) {
        throw this.expressions.placed(error, statement);
      }
    }
  }

  #block(head: string, node: Statement, scope: Names, body: Body): void {
    body.lines.push(`${head}{`);
    this.#statements(node.type === "BlockStatement" ? node.body : [node], scope, body);
    body.lines.push("}");
  }

  #statement(node: Statement, scope: Names, body: Body): void {
    const condition = (test: Expression) => toBoolean(this.expressions.translate(test, scope));
    switch (node.type) {
      case "EmptyStatement":
        break;
      case "VariableDeclaration":
        this.#variables(node, scope, body);
        break;
      case "FunctionDeclaration":
        if (node.id) scope.set(node.id.name, { kind: "function", name: node.id.name, node });
        break;
      case "ExpressionStatement":
        this.#effect(node.expression, scope, body);
        break;
      case "BlockStatement":
        this.#block("", node, scope, body);
        break;
      case "IfStatement":
        this.#block(`if (${condition(node.test)}) `, node.consequent, scope, body);
        if (node.alternate) this.#block("else ", node.alternate, scope, body);
        break;
      case "ReturnStatement":
        if (!node.argument) throw new NotTranslated("it returns nothing");
        this.#return(node.argument, scope, body);
        break;
      case "BreakStatement":
      case "ContinueStatement":
        if (node.label) throw new NotTranslated("labels are not translated");
        body.lines.push(node.type === "BreakStatement" ? "break;" : "continue;");
        break;
      case "WhileStatement":
        this.#loop({ test: node.test, update: null, body: node.body }, scope, body);
        break;
      case "ForStatement":
        this.#for(node, new Map(scope), body);
        break;
      case "ForOfStatement":
        this.#forOf(node, scope, body);
        break;
      default:
        throw new NotTranslated("it is not among what is translated");
    }
  }

  #variables({ declarations, kind }: VariableDeclaration, scope: Names, body: Body): void {
    for (const { id, init } of declarations) {
      if (isFunction(init) && id.type === "Identifier" && kind === "const") {
        scope.set(id.name, { kind: "function", name: id.name, node: init });
      } else if (init) {
        this.#bind(id, this.expressions.translate(init, scope), scope, body, kind === "const" ? "const" : "let");
      } else if (id.type === "Identifier") {
        const name = this.#fresh("number");
        body.lines.push(`var ${name}: f32;`);
        scope.set(id.name, numberOf(name));
      } else throw new NotTranslated("it has no value");
    }
  }

  #return(node: Expression, scope: ReadonlyMap<string, Value>, body: Body): void {
    const { kind, text } = this.#computed(node, scope);
    if (body.kind !== null && body.kind !== kind)
      throw this.expressions.placed(new NotTranslated("it returns a number here, and true or false elsewhere"), node);
    body.kind = kind;
    body.lines.push(`return ${text};`);
  }

  #computed(node: Expression, scope: ReadonlyMap<string, Value>): Computed {
    const value = this.expressions.translate(node, scope);
    try {
      return computed(value);
    } catch (error) {
      throw this.expressions.placed(error, node);
    }
  }

  /** An assignment, or one more or less. */
  #effect(node: Expression, scope: Names, body: Body): void {
    const target =
      node.type === "AssignmentExpression" ? node.left : node.type === "UpdateExpression" ? node.argument : null;
    if (target?.type !== "Identifier") throw new NotTranslated("only names are assigned to");
    const variable = scope.get(target.name);
    if (variable?.kind !== "number" && variable?.kind !== "boolean")
      throw new NotTranslated(`${target.name} is no variable of this function that holds a number`);
    body.lines.push(`${variable.text} = ${this.#assigned(node as AssignmentExpression, variable, scope)};`);
  }

  #assigned(node: AnyNode, variable: Computed, scope: Names): string {
    if (node.type === "UpdateExpression") return `${toNumber(variable)} ${node.operator[0]} 1.0`;
    const { operator, right } = node as AssignmentExpression;
    const value = this.expressions.translate(right, scope);
    const sign = operator.slice(0, -1);
    const result =
      sign === "" ? computed(value) : this.expressions.binary(sign as BinaryExpression["operator"], variable, value);
    if (result.kind !== variable.kind) throw new NotTranslated("a variable holds numbers, or true and false");
    return result.text;
  }

  #for({ init, test, update, body: inner }: ForStatement, scope: Names, body: Body): void {
    body.lines.push("{");
    if (init?.type === "VariableDeclaration") this.#variables(init, scope, body);
    else if (init) this.#effect(init, scope, body);
    this.#loop({ test: test ?? null, update: update ?? null, body: inner }, scope, body);
    body.lines.push("}");
  }

  #loop(
    { test, update, body: inner }: { test: Expression | null; update: Expression | null; body: Statement },
    scope: Names,
    body: Body,
  ): void {
    const round = this.#fresh("round");
    const ends = test === null ? "" : `!${toBoolean(this.expressions.translate(test, scope))} || `;
    body.lines.push(`var ${round} = 0u;`, "loop {", `if (${ends}${round} == ${MOST_ROUNDS}u) { break; }`);
    this.#block("", inner, scope, body);
    body.lines.push("continuing {");
    if (update !== null) this.#effect(update, scope, body);
    body.lines.push(`${round}++;`, "}", "}");
  }

  /** Written out for each item. */
  #forOf({ left, right, body: inner }: ForOfStatement, scope: Names, body: Body): void {
    const items = itemsOf(this.expressions.translate(right, scope));
    const isDeclared = left.type === "VariableDeclaration";
    if (items === null || !isDeclared) throw new NotTranslated("it does not go through a list that is written out");
    const text = JSON.stringify(inner, (_, part) => (typeof part === "bigint" ? null : part));
    if (/"type":"(Break|Continue)Statement"/.test(text)) throw new NotTranslated("it leaves a list before its end");
    for (const item of items) {
      body.lines.push("{");
      const each = new Map(scope);
      this.#bind(left.declarations[0].id, item, each, body, left.kind === "const" ? "const" : "let");
      this.#block("", inner, each, body);
      body.lines.push("}");
    }
  }
}

const TYPES = { number: "f32", boolean: "bool", link: "Numbers" } as const;

/** Whether a value is an argument in WGSL; others are known where a function is written. */
const isPassed = (value: Value): value is Value & { kind: keyof typeof TYPES } => value.kind in TYPES;
