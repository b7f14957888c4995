import { existsSync } from "node:fs";
import { InputError } from "../core/errors.js";
import { packageVersion } from "../rows/provenance.js";
import { ABOUT, afterHelp } from "./about.js";
import { allCommands, COMMANDS } from "./commands.js";
import { commandOf, plainCommand } from "./declaration/build.js";
import { withNamesOfToday } from "./declaration/former-names.js";
import { outcomeOf } from "./exit.js";

/** Runs the program with what stands after its name on the command line, and leaves the exit code in `process.exitCode`. */
export async function runProgram(given: readonly string[]): Promise<void> {
  try {
    const args = await inFull(given);
    const [asked = ""] = args;
    const needed = isCommand(asked) ? [asked] : /^(-V|--version)$/.test(asked) ? [] : Object.keys(COMMANDS);
    const program = plainCommand("rmap")
      .description(ABOUT.summary)
      .usage("[command] [options]")
      .version(packageVersion(), "-V, --version", "print the version")
      .addHelpText("after", afterHelp());
    for (const name of needed) program.addCommand(commandOf(name, await COMMANDS[name](), args.slice(1), allCommands));
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    const { code, line } = outcomeOf(error);
    if (line !== null) process.stderr.write(`${line}\n`);
    if (process.env.RMAP_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    process.exitCode = code;
  }
}

const isCommand = (word: string) => Object.hasOwn(COMMANDS, word);

/** The command line with a command in it where only a file is named, and with the names of today. */
async function inFull(given: readonly string[]): Promise<readonly string[]> {
  const [first = "", ...more] = given;
  if (first === "help" && !more.some((word) => word.startsWith("-"))) return inFull([...more, "--help"]);
  if (!isCommand(first)) {
    // No command has a dot or a slash in its name.
    const isFile = isWord(first) && (existsSync(first) || /[./]/.test(first));
    return isFile ? (await import("./file-command.js")).commandForFile(given) : refusable(given, 0);
  }
  const declared = await COMMANDS[first]();
  if (!("commands" in declared)) return [first, ...withNamesOfToday(declared, more)];
  const [inner = "", ...rest] = more;
  const one = declared.commands[inner];
  const moved = declared.moved?.[inner];
  if (moved !== undefined) throw new InputError(moved);
  return one === undefined ? refusable(given, 1) : [first, inner, ...withNamesOfToday(one, rest)];
}

const isWord = (text: string) => text !== "" && !text.startsWith("-");

/** Up to the word that is no command: of what follows, --help would be answered with the help of another. */
const refusable = (given: readonly string[], at: number) => (isWord(given[at] ?? "") ? given.slice(0, at + 1) : given);
