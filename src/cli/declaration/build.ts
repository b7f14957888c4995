/** Makes commander's commands of declarations, and runs them. */
import { Argument, Command, type Option } from "commander";
import { InputError } from "../../core/errors.js";
import { oneLine, optionOf } from "../../files/refusal.js";
import { prepareFiles } from "../options/files.js";
import { printProblem, printText } from "../print.js";
import { Progress } from "../progress.js";
import type { CommandDeclaration, CommandGroup, Context, Options, Outcome, Shown } from "./declaration.js";

/** A command of its own, as all are set up. */
export function plainCommand(name: string): Command {
  return new Command(name)
    .exitOverride()
    .helpCommand(false)
    .configureHelp({ optionDescription, subcommandTerm: (inner) => inner.name() })
    .configureOutput({
      outputError: (text, write) => {
        const line = text.trim().replace(/^error:/, "rmap:");
        write(`${oneLine(line.replace(/\s+/g, " "))}\n`);
      },
    });
}

/** Purpose of an option, its values, and its default. */
export function optionDescription({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const more = argChoices === undefined ? [] : [argChoices.join(", ")];
  if (defaultValue !== undefined) more.push(`default: ${defaultValueDescription ?? String(defaultValue)}`);
  return more.length === 0 ? description : `${description} (${more.join("; ")})`;
}

/** @param args the words after the command's name, which choose among the options of methods */
export function commandOf(
  name: string,
  declared: CommandDeclaration | CommandGroup,
  args: readonly string[],
  commands: Context["commands"],
): Command {
  const made = plainCommand(name).description(declared.summary).helpGroup(`${declared.group}:`);
  if ("commands" in declared) {
    for (const [inner, one] of Object.entries(declared.commands))
      made.addCommand(commandOf(inner, one, args.slice(1), commands));
    return made.addHelpText("after", after(declared));
  }
  for (const [key, { says, parse, required, several }] of Object.entries(declared.arguments)) {
    const word = `${optionOf(key).slice(2)}${several ? "..." : ""}`;
    made.addArgument(new Argument(required ? `<${word}>` : `[${word}]`, says).argParser(parse as () => unknown));
  }
  const method = methodIn(declared, args);
  const own = method === null ? {} : (declared.methods?.of[method].options ?? {});
  // --x comes before --no-x; otherwise commander sets x where neither is given.
  const options = Object.values({ ...declared.options, ...own });
  for (const option of options.sort((a, b) => Number(a.negate) - Number(b.negate))) made.addOption(option);
  refuseOthersOptions(declared, method, made.options, args);
  return made
    .addHelpText("after", after(declared, method))
    .action(async () => perform(declared, made, method, commands));
}

/**
 * The method that a command line chooses or that is the default, null where it is none or an unknown one.
 * @throws InputError where it chooses two
 */
function methodIn({ methods }: CommandDeclaration, args: readonly string[]): string | null {
  if (methods === undefined) return null;
  const long = methods.option.long as string;
  const given = args.flatMap((arg, n) => {
    if (arg === long) return args.slice(n + 1, n + 2);
    return arg.startsWith(`${long}=`) ? [arg.slice(long.length + 1)] : [];
  });
  const [name = methods.option.defaultValue, ...more] = new Set(given);
  if (more.length > 0)
    throw new InputError(`${long} ${name} and ${long} ${more[0]} exclude each other; give one of them`);
  return typeof name === "string" && Object.hasOwn(methods.of, name) ? name : null;
}

/** Says of an option that another method has whose it is. */
function refuseOthersOptions(
  { methods }: CommandDeclaration,
  method: string | null,
  known: readonly Option[],
  args: readonly string[],
): void {
  if (methods === undefined || method === null) return;
  for (const arg of args) {
    const word = arg.split("=")[0];
    if (!word.startsWith("--") || known.some(({ long }) => long === word)) continue;
    const takers = Object.keys(methods.of).filter((name) => optionsOf(methods.of[name].options).includes(word));
    if (takers.length > 0) {
      const [long, others] = [methods.option.long, takers.join(", ")];
      throw new InputError(`${long} ${method} takes no ${word}; it belongs to ${long} ${others}`);
    }
  }
}

const optionsOf = (options: Options) => Object.values(options).map(({ long }) => long as string);

/** The part of a help text after the options. */
function after(declared: Shown & Partial<CommandDeclaration>, method: string | null = null): string {
  const { methods } = declared;
  const parts: string[] = [];
  if (methods !== undefined) {
    const width = Math.max(...Object.keys(methods.of).map(({ length }) => length));
    const lines = Object.entries(methods.of).map(([name, { summary }]) => `  ${name.padEnd(width + 2)}${summary}`);
    parts.push(`Methods (--${methods.option.name()} NAME --help shows the options of one):\n${lines.join("\n")}`);
  }
  const chosen = method === null ? undefined : methods?.of[method];
  const examples = chosen?.examples ?? [
    ...declared.examples,
    ...(declared.examples.length === 0 && methods ? Object.values(methods.of).flatMap((one) => one.examples) : []),
  ];
  parts.push(`Example${examples.length === 1 ? "" : "s"}:\n${examples.map((example) => `  $ ${example}`).join("\n")}`);
  for (const notes of [chosen?.notes, declared.notes]) if (notes !== undefined) parts.push(notes);
  return `\n${parts.join("\n\n")}`;
}

/** Runs a command, and prints its outcome. */
async function perform(
  declared: CommandDeclaration,
  made: Command,
  method: string | null,
  commands: Context["commands"],
): Promise<void> {
  prepareFiles(made);
  const flags = made.opts();
  const args = Object.fromEntries(Object.keys(declared.arguments).map((key, n) => [key, made.processedArgs[n]]));
  const progress = new Progress(flags.quiet !== true);
  const context: Context = { progress, refuse: (names, why) => refuseGiven(made, names, why), commands };
  const run = method === null ? declared.run : declared.methods?.of[method].run;
  try {
    const outcome = await run?.(args as never, flags as never, context);
    progress.end();
    if (outcome !== undefined) print(outcome, flags.json === true);
  } finally {
    progress.end();
  }
}

function print({ text, json, aside, problem, code }: Outcome, asJson: boolean): void {
  const lines = () => (Array.isArray(json) ? json : [json]).map((one) => `${JSON.stringify(one)}\n`);
  printText(asJson ? lines().join("") : text, aside ? process.stderr : process.stdout);
  if (problem !== undefined) printProblem(problem);
  if (code !== undefined) process.exitCode = code;
}

function refuseGiven(made: Command, names: readonly string[], why: string): void {
  for (const option of made.options) {
    const name = option.attributeName();
    if (names.includes(name) && made.getOptionValueSource(name) === "cli")
      throw new InputError(`${option.long}: ${why}`);
  }
}
