import { once } from "node:events";
import { Command } from "commander";
import { InputError } from "../core/errors.js";
import { gathered, writeWhole } from "../files/whole-file.js";
import { formatDetections } from "../formats/detections.js";
import { readScenario } from "../formats/scenario.js";
import { requireMemoryToDraw } from "../run/memory.js";
import { type BeltParameters, simulateBelt } from "../simulation/belt/belt.js";
import { mostTargets, SIMULATION_DEFAULTS, type SimulationParameters } from "../simulation/parameters.js";
import { simulate } from "../simulation/trajectories.js";
import { inputFile, outputFile } from "./named-files.js";
import { integer, length, seed } from "./options.js";
import { printProblem } from "./print.js";

interface SimulateFlags {
  readonly output?: string;
  readonly seed?: number;
  readonly targets?: number;
  readonly frames?: number;
  readonly noise?: number;
  readonly velocityNoise?: number;
}

/** Share of a radius; a deeper overlap gets a note. */
const MOST_OVERLAP = 0.05;

/** As in a scenario. */
const MOST_DETECTIONS = 1e8;

export function simulateCommand(): Command {
  return new Command("simulate")
    .description(
      "Simulate detections with their true targets as CSV: Kawtikwar & Nagi 2023, §IV-A, or particles on a belt (docs/sorting.md).",
    )
    .argument("[scenario]", "scenario with a simulation or a belt; or give --targets and --frames", inputFile)
    .option("-o, --output <file>", "write there instead of stdout", outputFile)
    .option("--seed <n>", "seed, instead of the scenario's", seed)
    .option("--targets <n>", "number of targets, in every frame", integer(1, 100_000))
    .option("--frames <n>", "number of frames", integer(2, 1_000_000))
    .option("--noise <sigma>", "standard deviation of positions, per axis", length)
    .option("--velocity-noise <sigma>", "standard deviation of velocities, per axis", length)
    .addHelpText(
      "after",
      `
Examples:
  $ rmap simulate scenarios/demo.json -o demo.csv
  $ rmap simulate --targets 30 --frames 40 --noise 0.2 --seed 7 > detections.csv
  $ rmap simulate scenarios/belt/cylinders.json --frames 100 -o cylinders.csv`,
    )
    .action(async (scenario: string | undefined, flags: SimulateFlags) => {
      const belt = scenario === undefined ? null : beltOf(scenario);
      if (belt !== null) return simulateOnBelt(belt, flags);
      const { parameters, scenarioSeed } = parametersOf(scenario, flags);
      const noise = {
        position: flags.noise ?? parameters.noise?.position ?? SIMULATION_DEFAULTS.noise.position,
        velocity: flags.velocityNoise ?? parameters.noise?.velocity ?? SIMULATION_DEFAULTS.noise.velocity,
      };
      const { targets, frames } = parameters;
      if (targets * frames > MOST_DETECTIONS) {
        throw new InputError(
          `simulate: ${targets} targets in ${frames} frames are too many; keep their product at 1e8 or less`,
        );
      }
      requireMemoryToDraw(mostTargets(parameters), frames);
      const drawn = flags.seed ?? scenarioSeed;
      const detections = simulate({ ...parameters, noise }, drawn);
      const text = formatDetections(detections, [
        ["source", "rmap simulate"],
        ["seed", String(drawn)],
      ]);
      await write(text, flags.output);
    });
}

/** Writes piece by piece, since the whole may be longer than a string can be. */
async function write(pieces: Iterable<string>, output: string | undefined): Promise<void> {
  if (output !== undefined) {
    writeWhole(output, pieces);
    return;
  }
  for (const piece of gathered(pieces)) if (!process.stdout.write(piece)) await once(process.stdout, "drain");
}

interface BeltScenario {
  readonly path: string;
  readonly seed: number;
  readonly parameters: Required<BeltParameters>;
}

function beltOf(path: string): BeltScenario | null {
  const { source, seed } = readScenario(path);
  if (source.kind !== "belt") return null;
  const { kind: _, ...parameters } = source;
  return { path, seed, parameters };
}

/** Particles on a belt: what the camera sees of them. */
async function simulateOnBelt({ path, seed, parameters }: BeltScenario, flags: SimulateFlags): Promise<void> {
  for (const [option, value] of [
    ["--targets", flags.targets],
    ["--velocity-noise", flags.velocityNoise],
  ] as const) {
    if (value !== undefined)
      throw new InputError(`${option}: ${path} simulates a belt, which is fed by its rate; leave it out`);
  }
  const drawn = flags.seed ?? seed;
  const frames = flags.frames ?? parameters.frames;
  const show = flags.output !== undefined && process.stderr.isTTY === true;
  const run = simulateBelt({ ...parameters, frames, noise: flags.noise ?? parameters.noise }, drawn, (done) => {
    if (show) process.stderr.write(`\r${done} of ${frames} frames${done === frames ? "\n" : ""}`);
  });
  if (run.deepestOverlap > MOST_OVERLAP) {
    const deepest = (100 * run.deepestOverlap).toFixed(1);
    printProblem(`note: bodies overlap by up to ${deepest} % of a radius; a greater stiffness is more exact`);
  }
  await write(
    formatDetections(run.detections, [
      ["units", "m"],
      ["source", "rmap simulate, belt"],
      ["seed", String(drawn)],
    ]),
    flags.output,
  );
}

function parametersOf(
  path: string | undefined,
  { targets, frames }: SimulateFlags,
): { parameters: SimulationParameters; scenarioSeed: number } {
  if (path === undefined) {
    if (targets === undefined || frames === undefined) {
      throw new InputError("simulate: no scenario given; name one, or give --targets and --frames");
    }
    return { parameters: { targets, frames, noise: SIMULATION_DEFAULTS.noise }, scenarioSeed: 1 };
  }
  const { source, seed: scenarioSeed } = readScenario(path);
  if (source.kind !== "simulation") {
    throw new InputError(`${path}: its source is ${source.kind}; name a scenario with a simulation or a belt`);
  }
  const { kind: _, ...parameters } = source;
  return {
    parameters: { ...parameters, targets: targets ?? parameters.targets, frames: frames ?? parameters.frames },
    scenarioSeed,
  };
}
