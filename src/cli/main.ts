#!/usr/bin/env node
import { Command } from "commander";
import { oneLine } from "../files/refusal.js";
import { packageVersion } from "../rows/provenance.js";
import { benchCommand } from "./bench.js";
import { checkCommand } from "./check.js";
import { detectCommand } from "./detect.js";
import { devicesCommand } from "./devices.js";
import { evaluateCommand } from "./evaluate.js";
import { EXIT, outcomeOf } from "./exit.js";
import { exportCommand } from "./export.js";
import { fitLinksCommand } from "./fit-links.js";
import { flowCommand } from "./flow.js";
import { linkCommand } from "./link.js";
import { matchCommand } from "./match.js";
import { modelCommand } from "./model.js";
import { regressCommand } from "./regress.js";
import { renderCommand } from "./render.js";
import { reportCommand } from "./report.js";
import { simulateCommand } from "./simulate.js";
import { solveCommand } from "./solve.js";
import { sweepCommand } from "./sweep.js";
import { trackCommand } from "./track.js";
import { workerCommand } from "./worker.js";

const program = new Command("rmap")
  .description(
    "Multidimensional assignment for multi-target tracking: tracks with a proof of how far from optimal they can be.",
  )
  .version(packageVersion())
  .configureOutput({
    outputError: (text, write) =>
      write(
        `${oneLine(
          text
            .trim()
            .replace(/^error:/, "rmap:")
            .replace(/\s+/g, " "),
        )}\n`,
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
  renderCommand(),
  solveCommand(),
  trackCommand(),
  checkCommand(),
  modelCommand(),
  evaluateCommand(),
  exportCommand(),
  sweepCommand(),
  workerCommand(),
  regressCommand(),
  reportCommand(),
  detectCommand(),
  matchCommand(),
  linkCommand(),
  fitLinksCommand(),
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
  const { code, line } = outcomeOf(error);
  if (line !== null) process.stderr.write(`${line}\n`);
  if (process.env.RMAP_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exitCode = code;
}
