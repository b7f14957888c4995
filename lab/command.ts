import type { Command } from "commander";
import { outcomeOf } from "../dist/cli/exit.js";

/** Runs a command of the lab, which ends as rmap's own do: with one line on stderr for an error, and the exit code that fits it. */
export async function runCommand(command: Command): Promise<void> {
  try {
    await command.exitOverride().parseAsync();
  } catch (error) {
    const { code, line } = outcomeOf(error);
    if (line !== null) process.stderr.write(`${line}\n`);
    process.exitCode = code;
  }
}
