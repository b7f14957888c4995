import { Command } from "commander";
import { oneLine } from "../files/refusal.js";
import { packageVersion } from "../rows/provenance.js";
import { outcomeOf } from "./exit.js";

const rmap = (): Command =>
  new Command("rmap")
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
    // Loaded with the command's own module, whose definitions make use of it.
    .hook("preAction", async (_, command) => (await import("./named-files.js")).refuseSharedFiles(command))
    .addHelpText(
      "after",
      `
Examples:
  $ rmap solve scenarios/demo.json -o results/demo
  $ rmap simulate scenarios/demo.json -o demo.csv && rmap solve demo.csv -o results/demo-csv
  $ rmap evaluate demo.csv results/demo-csv/tracks.csv

Exit codes: 0 ok, 1 failed, 2 bad usage or input, 3 below a required accuracy or gap, 130 interrupted.`,
    );

/** Loads a command only when it is called, and all of them for --help, since together they take most of a second. */
export const COMMANDS: Record<string, () => Promise<Command>> = {
  simulate: async () => (await import("./simulate.js")).simulateCommand(),
  render: async () => (await import("./render.js")).renderCommand(),
  solve: async () => (await import("./solve.js")).solveCommand(),
  track: async () => (await import("./track.js")).trackCommand(),
  check: async () => (await import("./check.js")).checkCommand(),
  model: async () => (await import("./model.js")).modelCommand(),
  evaluate: async () => (await import("./evaluate.js")).evaluateCommand(),
  export: async () => (await import("./export.js")).exportCommand(),
  sweep: async () => (await import("./sweep.js")).sweepCommand(),
  worker: async () => (await import("./worker.js")).workerCommand(),
  regress: async () => (await import("./regress.js")).regressCommand(),
  report: async () => (await import("./report.js")).reportCommand(),
  detect: async () => (await import("./detect.js")).detectCommand(),
  match: async () => (await import("./match.js")).matchCommand(),
  link: async () => (await import("./link.js")).linkCommand(),
  "fit-links": async () => (await import("./fit-links.js")).fitLinksCommand(),
  bench: async () => (await import("./bench.js")).benchCommand(),
  flow: async () => (await import("./flow.js")).flowCommand(),
  devices: async () => (await import("./devices.js")).devicesCommand(),
};

/** Runs the program with what stands after its name on the command line, and leaves the exit code in `process.exitCode`. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const program = rmap();
  const asked = args[0] ?? "";
  const needed = Object.hasOwn(COMMANDS, asked) ? [asked] : /^(-V|--version)$/.test(asked) ? [] : Object.keys(COMMANDS);
  for (const name of needed) {
    const command = await COMMANDS[name]();
    program.addCommand(command.copyInheritedSettings(program));
    for (const inner of command.commands) inner.copyInheritedSettings(command);
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    const { code, line } = outcomeOf(error);
    if (line !== null) process.stderr.write(`${line}\n`);
    if (process.env.RMAP_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    process.exitCode = code;
  }
}
