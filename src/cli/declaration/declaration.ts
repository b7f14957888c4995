/** How a command is declared: once, as data. The program, its help, the reference, shell completion and the types of its flags are made of this. */
import { InvalidArgumentError, Option } from "commander";
import { InputError } from "../../core/errors.js";
import { nearest } from "../../files/nearest.js";
import { type FileParser, several } from "../options/files.js";
import type { Progress } from "../progress.js";

/** An option; the compiler knows the type of its value. */
export class Declared<T> extends Option {
  /** Exists for the compiler alone. */
  declare readonly value: T;
  /** Names of earlier versions, with the words that say the same today. They work for one version, with a note. */
  readonly former: { readonly old: string; readonly now: readonly string[] }[] = [];

  /** Sets the default; `shown` is how a person would write it on the command line. */
  or(value: Exclude<T, undefined>, shown?: string): Declared<Exclude<T, undefined>> {
    return this.default(value, shown) as Declared<Exclude<T, undefined>>;
  }

  /** Makes the command refuse to run without this option. */
  needed(): Declared<Exclude<T, undefined>> {
    return this.makeOptionMandatory() as Declared<Exclude<T, undefined>>;
  }

  /** Accepts an earlier name, or an earlier switch that is one `value` of this option today. */
  formerly(old: string, value?: string): this {
    this.former.push({ old, now: [this.long as string, ...(value === undefined ? [] : [value])] });
    return this;
  }
}

export const toggle = (flags: string, says: string) => new Declared<true | undefined>(flags, says);

/** `parse` is called with the text, and with the value so far where an option may be repeated. */
export function option<T>(
  flags: string,
  says: string,
  parse: (text: string, before?: T) => T,
): Declared<T | undefined> {
  // Commander passes the default as the value so far, which a first occurrence replaces.
  return new Declared<T | undefined>(flags, says).argParser(parse);
}

/** An option of earlier versions. A value that asks for what happens anyway is accepted, and any other is refused with the remedy. */
export function gone<Value extends string>(flags: string, still: RegExp, remedy: string): Declared<Value | undefined> {
  return option<Value>(flags, "an option of earlier versions", (text) => {
    if (still.test(text)) return text as Value;
    throw new InvalidArgumentError(remedy);
  }).hideHelp();
}

export function choice<const Name extends string>(
  flags: string,
  says: string,
  names: readonly Name[],
): Declared<Name | undefined> {
  const made = new Declared<Name | undefined>(flags, says).choices(names);
  return made.argParser((text) => oneOf(names, text));
}

export function oneOf<Name extends string>(names: readonly Name[], text: string): Name {
  const name = names.find((one) => one === text);
  if (name !== undefined) return name;
  throw new InvalidArgumentError(`Allowed choices are ${names.join(", ")}.${didYouMean(text, names)}`);
}

export function didYouMean(text: string, names: readonly string[]): string {
  const meant = nearest(text, names);
  return meant === null ? "" : ` (Did you mean ${meant}?)`;
}

/** Puts options below a heading of the help. */
export function grouped<O extends Options>(heading: string, options: O): O {
  for (const one of Object.values(options)) one.helpGroup(`${heading}:`);
  return options;
}

/** A word of a command line without a dash; its name is its key in the declaration. */
export interface DeclaredArgument<T> {
  readonly says: string;
  readonly parse: FileParser<unknown> | ((text: string, before?: unknown) => unknown);
  readonly required: boolean;
  readonly several: boolean;
  readonly value?: T;
}

const argumentOf =
  <T>(required: boolean, many: boolean) =>
  (says: string, parse: FileParser<string>): DeclaredArgument<T> => ({
    says,
    parse: many ? several(parse) : parse,
    required,
    several: many,
  });
export const argument = argumentOf<string>(true, false);
export const optionalArgument = argumentOf<string | undefined>(false, false);
export const severalArguments = argumentOf<string[]>(true, true);
export const anyArguments = argumentOf<string[] | undefined>(false, true);

export type Options = Readonly<Record<string, Declared<unknown>>>;
export type Arguments = Readonly<Record<string, DeclaredArgument<unknown>>>;
type ValueOf<D> = D extends Declared<infer T> ? T : never;
/** The flags of a command line: those without a default may be missing. */
export type FlagsOf<O extends Options> = {
  readonly [K in keyof O as undefined extends ValueOf<O[K]> ? never : K]: ValueOf<O[K]>;
} & {
  readonly [K in keyof O as undefined extends ValueOf<O[K]> ? K : never]?: Exclude<ValueOf<O[K]>, undefined>;
};
export type ArgumentsOf<A extends Arguments> = {
  readonly [K in keyof A]: A[K] extends DeclaredArgument<infer T> ? T : never;
};

/** Every command has these. */
export const everywhere = () => ({
  json: toggle("--json", "print the result as one JSON object"),
  quiet: toggle("-q, --quiet", "show no progress on standard error"),
});
export type Everywhere = FlagsOf<ReturnType<typeof everywhere>>;

/** Things that a command uses besides its arguments and flags. */
export interface Context {
  readonly progress: Progress;
  /** Refuses those of the options that were given, since they would change nothing. */
  readonly refuse: (names: readonly string[], why: string) => void;
  /** All commands of the program, for those that are about the program. */
  readonly commands: () => Promise<readonly Called[]>;
}

/** The end of a command. */
export interface Outcome {
  readonly text: string;
  /** --json prints this instead of the text: an object, or a line for each of several. */
  readonly json: object | readonly object[];
  /** Whether standard output has the results themselves, so that this goes to standard error. */
  readonly aside?: boolean;
  /** A failure in spite of a result, and its exit code. */
  readonly problem?: string | undefined;
  readonly code?: number | undefined;
}

/** The parts of a declaration that help and reference show. */
export interface Shown {
  readonly summary: string;
  readonly examples: readonly string[];
  readonly notes?: string;
}

/** One of several ways in which a command works, with options of its own. */
export interface Method extends Shown {
  readonly options: Options;
  run(args: never, flags: never, context: Context): Outcome | Promise<Outcome>;
}

export interface Methods {
  /** The option that names the method. */
  readonly option: Declared<unknown>;
  readonly of: Readonly<Record<string, Method>>;
}

export interface CommandDeclaration extends Shown {
  readonly group: string;
  readonly arguments: Arguments;
  readonly options: Options;
  readonly methods?: Methods;
  run?(args: never, flags: never, context: Context): Outcome | undefined | Promise<Outcome | undefined>;
}

/** A command that only holds others. */
export interface CommandGroup extends Shown {
  readonly group: string;
  readonly commands: Readonly<Record<string, CommandDeclaration>>;
  /** Commands of earlier versions, and the place of their work today. */
  readonly moved?: Readonly<Record<string, string>>;
}

/** A command that does something, with the words that call it. */
export interface Called {
  readonly words: readonly string[];
  readonly declared: CommandDeclaration;
}

interface CommandWith<A extends Arguments, O extends Options> extends Shown {
  readonly group: string;
  readonly arguments: A;
  readonly options: O;
  run(
    args: ArgumentsOf<A>,
    flags: FlagsOf<O> & Everywhere,
    context: Context,
  ): Outcome | undefined | Promise<Outcome | undefined>;
}

/** Declares a command; `json` and `quiet` are added to its options. */
export function command<A extends Arguments, O extends Options>(declared: CommandWith<A, O>): CommandDeclaration {
  return { ...declared, options: { ...declared.options, ...everywhere() } };
}

/** Declares a command whose methods do its work. */
export function commandOfMethods(
  declared: Shown & { readonly group: string; readonly arguments: Arguments; readonly options: Options },
  methods: Methods,
): CommandDeclaration {
  const { option: choosing, of } = methods;
  for (const [name, { options }] of Object.entries(of)) grouped(`Options of --${choosing.name()} ${name}`, options);
  const options = { [choosing.attributeName()]: choosing, ...declared.options, ...everywhere() };
  return { ...declared, options, methods };
}

/** Refuses a use of options together that no parser of one of them can see. */
export function refuseUsage(problem: string, remedy: string): never {
  throw new InputError(`${problem}; ${remedy}`);
}
