#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { InputError } from "../core/errors.js";
import { DeviceError } from "../gpu/device-error.js";
import { packageVersion } from "../rows/provenance.js";
import { benchCommand } from "./bench.js";
import { detectCommand } from "./detect.js";
import { devicesCommand } from "./devices.js";
import { evaluateCommand } from "./evaluate.js";
import { EXIT } from "./exit.js";
import { flowCommand } from "./flow.js";
import { regressCommand } from "./regress.js";
import { reportCommand } from "./report.js";
import { simulateCommand } from "./simulate.js";
import { solveCommand } from "./solve.js";
import { sweepCommand } from "./sweep.js";
import { workerCommand } from "./worker.js";

const program = new Command("rmap")
  .description(
    "Multidimensional assignment for multi-target tracking: tracks with a proof of how far from optimal they can be.",
  )
  .version(packageVersion())
  .configureOutput({
    outputError: (text, write) =>
      write(
        `${text
          .trim()
          .replace(/^error:/, "rmap:")
          .replace(/\s+/g, " ")}\n`,
      ),
  })
  .exitOverride()
  .addHelpText(
    "after",
    `
Examples:
  $ rmap solve scenarios/demo.json -o results/demo
  $ rmap simulate scenarios/demo.json -o demo.csv && rmap solve demo.csv -o results/demo-csv
  $ rmap evaluate demo.csv results/demo-csv/tracks.csv

Exit codes: 0 ok, 1 failed, 2 bad usage or input, 3 below a required accuracy or gap, 130 interrupted.`,
  );

for (const command of [
  simulateCommand(),
  solveCommand(),
  evaluateCommand(),
  sweepCommand(),
  workerCommand(),
  regressCommand(),
  reportCommand(),
  detectCommand(),
  benchCommand(),
  flowCommand(),
  devicesCommand(),
]) {
  program.addCommand(command.copyInheritedSettings(program));
  for (const inner of command.commands) inner.copyInheritedSettings(command);
}

// A closed pipe (rmap … | head) ends the program quietly.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? EXIT.ok : EXIT.failed);
  });
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Tells what went wrong in one line and chooses the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
  if (error instanceof InputError || error instanceof DeviceError) {
    process.stderr.write(`rmap: ${error.message}\n`);
    return EXIT.badInput;
  }
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  process.stderr.write(`rmap: this is a defect in rmap, please report it: ${what.replace(/\s+/g, " ")}\n`);
  if (process.env.RMAP_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return EXIT.failed;
}
