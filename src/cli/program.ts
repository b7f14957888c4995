import { existsSync } from "node:fs";
import { InputError } from "../core/errors.js";
import { packageVersion } from "../rows/provenance.js";
import { allCommands, COMMANDS } from "./commands.js";
import { commandOf, plainCommand } from "./declaration/build.js";
import { withNamesOfToday } from "./declaration/former-names.js";
import { outcomeOf } from "./exit.js";

const AFTER_HELP = `
Examples:
  $ rmap solve scenarios/demo.json -o results/demo
  $ rmap simulate scenarios/demo.json -o demo.csv && rmap solve demo.csv -o results/demo-csv
  $ rmap evaluate demo.csv results/demo-csv/tracks.csv
  $ rmap results/demo          # a file or folder alone: does what it is for, and says what that is

Exit codes:
  0    done
  1    failed
  2    bad usage or input
  3    below a required accuracy or gap
  130  interrupted

Environment:
  RMAP_QUEUE_PASSWORD  password of the Redis server that --queue names, so that it need not stand on the command line
  RMAP_DEBUG           if set, an error also prints where in the program it arose`;

/** Runs the program with what stands after its name on the command line, and leaves the exit code in `process.exitCode`. */
export async function runProgram(given: readonly string[]): Promise<void> {
  try {
    const args = await inFull(given);
    const [asked = ""] = args;
    const needed = isCommand(asked) ? [asked] : /^(-V|--version)$/.test(asked) ? [] : Object.keys(COMMANDS);
    const program = plainCommand("rmap")
      .description(
        "Multidimensional assignment for multi-target tracking: tracks with a proof of how far from optimal they can be.",
      )
      .usage("[command] [options]")
      .version(packageVersion(), "-V, --version", "print the version")
      .addHelpText("after", AFTER_HELP);
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
  if (first === "help" && !more.some((word) => word.startsWith("-"))) return [...more, "--help"];
  if (!isCommand(first)) {
    // No command has a dot or a slash in its name.
    const isFile = first !== "" && !first.startsWith("-") && (existsSync(first) || /[./]/.test(first));
    return isFile ? (await import("./file-command.js")).commandForFile(given) : given;
  }
  const declared = await COMMANDS[first]();
  if (!("commands" in declared)) return [first, ...withNamesOfToday(declared, more)];
  const [inner = "", ...rest] = more;
  const one = declared.commands[inner];
  const moved = declared.moved?.[inner];
  if (moved !== undefined) throw new InputError(moved);
  return one === undefined ? given : [first, inner, ...withNamesOfToday(one, rest)];
}
