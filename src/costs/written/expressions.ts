import type {
  AnyNode,
  BinaryExpression,
  CallExpression,
  Expression,
  MemberExpression,
  SpreadElement,
  Super,
} from "acorn";
import { InputError } from "../../core/errors.js";
import { MATH_FUNCTIONS, mathCall, power } from "./math.js";
import { isFunction, type ModuleText, NotTranslated } from "./module-text.js";
import { booleanOf, type Computed, computed, itemsOf, numberOf, toBoolean, toNumber, type Value } from "./values.js";

/** What a name means where an expression stands; null for a name of the module or of JavaScript. */
export type Scope = ReadonlyMap<string, Value>;

/** Translates a call of one of the user's functions. */
export type CallUser = (name: string, of: Value & { kind: "function" }, args: readonly Value[]) => Computed;

/** The numbers that links may keep, beside those of either end: `…_i` and `…_j`. */
const OF_LINK = ["dx", "dy", "dz"];

const SAME_SIGN = ["+", "-", "*", "/", "%"];
const ORDERED = ["<", "<=", ">", ">="];
const EQUAL: Readonly<Record<string, string>> = { "===": "==", "==": "==", "!==": "!=", "!=": "!=" };

/** Expressions of JavaScript as WGSL. */
export class Expressions {
  /** The numbers of links that are read, in the order in which they are kept. */
  readonly fields: string[] = [];
  /** Constants of the module that are read. */
  readonly constants = new Map<string, unknown>();

  constructor(
    private readonly module: ModuleText,
    /** Names of the parameters. */
    private readonly parameters: readonly string[],
    private readonly callUser: CallUser,
  ) {}

  /** @throws NotTranslated that names the place */
  translate(node: Expression | SpreadElement | Super, scope: Scope): Value {
    try {
      return this.#translate(node, scope);
    } catch (error) {
      throw this.placed(error, node);
    }
  }

  /** The same error with its place, where it has none yet. */
  placed(error: unknown, node: AnyNode): unknown {
    if (!(error instanceof NotTranslated) || error.message.startsWith("line ")) return error;
    return new NotTranslated(`${this.module.place(node)}: ${this.module.textOf(node)}: ${error.message}`);
  }

  #translate(node: Expression | SpreadElement | Super, scope: Scope): Value {
    const { translate } = this;
    const inner = (one: Expression | SpreadElement | Super) => translate.call(this, one, scope);
    if (isFunction(node)) return { kind: "function", name: "", node };
    switch (node.type) {
      case "Literal":
        return { kind: "constant", value: node.value };
      case "Identifier":
        return this.named(node.name, scope);
      case "ParenthesizedExpression":
        return inner(node.expression);
      case "MemberExpression":
        return this.#member(node, scope);
      case "ArrayExpression":
        return {
          kind: "list",
          items: node.elements.flatMap((item) => (item === null ? [] : this.spread(item, scope))),
        };
      case "UnaryExpression":
        if (node.operator === "-") return numberOf(`(-${toNumber(inner(node.argument))})`);
        if (node.operator === "+") return numberOf(toNumber(inner(node.argument)));
        if (node.operator === "!") return booleanOf(`(!${toBoolean(inner(node.argument))})`);
        break;
      case "BinaryExpression":
        return this.binary(node.operator, inner(node.left as Expression), inner(node.right));
      case "LogicalExpression":
        return this.#logical(node.operator, inner(node.left), inner(node.right));
      case "ConditionalExpression":
        return choose(toBoolean(inner(node.test)), inner(node.consequent), inner(node.alternate));
      case "CallExpression":
        return this.#call(node, scope);
    }
    throw new NotTranslated("it is not among what is translated");
  }

  /** The meaning of a name. */
  named(name: string, scope: Scope): Value {
    const local = scope.get(name);
    if (local !== undefined) return local;
    const node = this.module.functionOf(name);
    if (node !== null) return { kind: "function", name, node };
    if (this.module.has(name)) return { kind: "constant", value: this.#constant(name) };
    if (name === "Infinity") return { kind: "constant", value: Number.POSITIVE_INFINITY };
    throw new NotTranslated(`${name} is not declared in the file`);
  }

  #constant(name: string): unknown {
    if (!this.constants.has(name)) this.constants.set(name, this.module.constant(name));
    return this.constants.get(name);
  }

  /** An argument or an item; those of a list that is spread. */
  spread(node: Expression | SpreadElement, scope: Scope): readonly Value[] {
    if (node.type !== "SpreadElement") return [this.translate(node, scope)];
    const items = itemsOf(this.translate(node.argument, scope));
    if (items === null) throw this.placed(new NotTranslated("it is no list"), node);
    return items;
  }

  #member({ object, property, computed: isComputed }: MemberExpression, scope: Scope): Value {
    const name = property.type === "Identifier" && !isComputed ? property.name : null;
    const holder = [Math, Number].find((_, k) => this.#isGlobal(object, ["Math", "Number"][k], scope));
    const value: unknown = holder && name !== null ? Reflect.get(holder, name) : null;
    if (typeof value === "number") return { kind: "constant", value };
    const of = this.translate(object, scope);
    if (name !== null) return this.property(of, name);
    const index = isComputed ? this.translate(property as Expression, scope) : null;
    const items = itemsOf(of);
    if (index?.kind === "constant" && items !== null) {
      const item = items[index.value as number];
      if (item !== undefined) return item;
    }
    throw new NotTranslated("an index is a number that is written out, of a list");
  }

  /** A property of a link, of the parameters, or of a constant. */
  property(of: Value, name: string): Value {
    if (of.kind === "link") {
      if (name === "dt") return numberOf("timeStep");
      if (!OF_LINK.includes(name) && !/^[a-z][a-z0-9_]*_[ij]$/.test(name)) {
        throw new InputError(
          `a link has no ${name}; it has ${OF_LINK.join(", ")}, dt, and of its ends x_i, y_i, vx_i, vy_i, every attribute likewise (area_i), and the same of j`,
        );
      }
      if (!this.fields.includes(name)) this.fields.push(name);
      return numberOf(`${of.text}[${this.fields.indexOf(name)}]`);
    }
    if (of.kind === "parameters") {
      const k = this.parameters.indexOf(name);
      return k < 0 ? { kind: "constant", value: undefined } : numberOf(`parameter${k}`);
    }
    const items = itemsOf(of);
    if (items !== null && name === "length") return { kind: "constant", value: items.length };
    if (of.kind === "constant" && typeof of.value === "object" && of.value !== null && Object.hasOwn(of.value, name)) {
      return { kind: "constant", value: of.value[name as keyof object] };
    }
    throw new NotTranslated(`${name} is not known there`);
  }

  binary(operator: BinaryExpression["operator"], left: Value, right: Value): Computed {
    const equal = EQUAL[operator];
    if (equal !== undefined) {
      const [a, b] = [computed(left), computed(right)];
      if (a.kind !== b.kind) throw new NotTranslated("it compares a number with true or false");
      return booleanOf(`(${a.text} ${equal} ${b.text})`);
    }
    const [a, b] = [toNumber(left), toNumber(right)];
    if (operator === "**") return numberOf(power(a, b));
    if (ORDERED.includes(operator)) return booleanOf(`(${a} ${operator} ${b})`);
    if (SAME_SIGN.includes(operator)) return numberOf(`(${a} ${operator} ${b})`);
    throw new NotTranslated(`${operator} is not translated`);
  }

  #logical(operator: "&&" | "??" | "||", left: Value, right: Value): Value {
    if (operator === "??") return left.kind === "constant" && (left.value ?? null) === null ? right : left;
    const [a, b] = [computed(left), computed(right)];
    if (a.kind === "boolean" && b.kind === "boolean") return booleanOf(`(${a.text} ${operator} ${b.text})`);
    return operator === "&&" ? choose(toBoolean(a), b, a) : choose(toBoolean(a), a, b);
  }

  #call({ callee, arguments: given }: CallExpression, scope: Scope): Value {
    const isOfMath = callee.type === "MemberExpression" && this.#isGlobal(callee.object, "Math", scope);
    if (!isOfMath && callee.type !== "Identifier") throw new NotTranslated("it is no function of the file");
    const args = given.flatMap((argument) => this.spread(argument, scope));
    if (!isOfMath) {
      const of = this.translate(callee, scope);
      if (of.kind === "function" && callee.type === "Identifier") return this.callUser(callee.name, of, args);
      throw new NotTranslated("it is no function of the file");
    }
    const { property, computed: isComputed } = callee;
    const name = property.type === "Identifier" && !isComputed ? property.name : "";
    const text = mathCall(name, args.map(toNumber));
    if (text !== null) return numberOf(text);
    throw new NotTranslated(`of Math are translated, with their usual arguments, ${MATH_FUNCTIONS.join(", ")}`);
  }

  #isGlobal(node: AnyNode, name: string, scope: Scope): boolean {
    return node.type === "Identifier" && node.name === name && !scope.has(name) && !this.module.has(name);
  }
}

/** One of two values. Both are computed, and neither has an effect. */
function choose(condition: string, yes: Value, no: Value): Computed {
  const [a, b] = [computed(yes), computed(no)];
  if (a.kind === b.kind) return { kind: a.kind, text: `select(${b.text}, ${a.text}, ${condition})` };
  return numberOf(`select(${toNumber(b)}, ${toNumber(a)}, ${condition})`);
}
