import { once } from "node:events";
import { InputError } from "../core/errors.js";
import { gathered, writeWhole } from "../files/whole-file.js";
import { formatDetections } from "../formats/detections.js";
import { readScenario, type ScenarioSource } from "../formats/scenario.js";
import { SETTINGS } from "../formats/settings.js";
import { requireMemoryToDraw } from "../run/memory.js";
import { simulateBelt } from "../simulation/belt/belt.js";
import { MAX_DRAWN, mostTargets, SIMULATION_DEFAULTS, type SimulationParameters } from "../simulation/parameters.js";
import { simulate as simulateTargets } from "../simulation/trajectories.js";
import {
  command,
  type Everywhere,
  type FlagsOf,
  type Outcome,
  option,
  optionalArgument,
} from "./declaration/declaration.js";
import { inputFile, outputFile } from "./options/files.js";
import { seed } from "./options/running.js";
import { setting } from "./options/values.js";
import { printProblem } from "./print.js";
import type { Progress } from "./progress.js";

/** Share of a radius; a deeper overlap gets a note. */
const MOST_OVERLAP = 0.05;

const ofSimulation = (name: "targets" | "frames" | "noise" | "velocityNoise", flags: string) =>
  option(flags, `${SETTINGS[name].says}, instead of the scenario's`, setting(SETTINGS[name]));

const options = {
  output: option("-o, --output <file>", "write the detections there instead of to standard output", outputFile),
  seed: seed("what is drawn, instead of the scenario's"),
  targets: ofSimulation("targets", "--targets <n>"),
  frames: ofSimulation("frames", "--frames <n>"),
  noise: ofSimulation("noise", "--noise <sigma>"),
  velocityNoise: ofSimulation("velocityNoise", "--velocity-noise <sigma>"),
};

type SimulateFlags = FlagsOf<typeof options> & Everywhere;

export const simulate = command({
  group: "Simulation",
  summary:
    "Simulate detections with their true targets as CSV: Kawtikwar & Nagi 2023, §IV-A, or particles on a belt (docs/explanation/sorting.md).",
  arguments: {
    scenario: optionalArgument("scenario with a simulation or a belt; or give --targets and --frames", inputFile),
  },
  options,
  examples: [
    "rmap simulate scenarios/demo.json -o demo.csv",
    "rmap simulate --targets 30 --frames 40 --noise 0.2 --seed 7 > detections.csv",
    "rmap simulate scenarios/belt/cylinders.json --frames 100 -o cylinders.csv",
  ],
  notes: "Without -o the CSV itself is printed; --json prints what was drawn where the CSV goes to a file.",
  async run({ scenario: path }, flags, { progress }) {
    const scenario = path === undefined ? null : { path, ...readScenario(path) };
    return scenario?.source.kind === "belt"
      ? simulateOnBelt(scenario.path, scenario.source, scenario.seed, flags, progress)
      : simulateFreely(scenario, flags);
  },
});

async function simulateFreely(
  scenario: { readonly path: string; readonly source: ScenarioSource; readonly seed: number } | null,
  flags: SimulateFlags,
): Promise<Outcome | undefined> {
  const parameters = scenario === null ? parametersOf(flags) : simulationOf(scenario, flags);
  const noise = {
    position: flags.noise ?? parameters.noise?.position ?? SIMULATION_DEFAULTS.noise.position,
    velocity: flags.velocityNoise ?? parameters.noise?.velocity ?? SIMULATION_DEFAULTS.noise.velocity,
  };
  const { targets, frames } = parameters;
  if (targets * frames > MAX_DRAWN) {
    throw new InputError(
      `simulate: ${targets} targets in ${frames} frames are too many; keep their product at 1e8 or less`,
    );
  }
  requireMemoryToDraw(mostTargets(parameters), frames);
  const drawn = flags.seed ?? scenario?.seed ?? 1;
  const detections = simulateTargets({ ...parameters, noise }, drawn);
  const text = formatDetections(detections, [
    ["source", "rmap simulate"],
    ["seed", String(drawn)],
  ]);
  return await write(text, flags.output, { seed: drawn, targets, frames });
}

function parametersOf({ targets, frames }: SimulateFlags): SimulationParameters {
  if (targets === undefined || frames === undefined)
    throw new InputError("simulate: no scenario given; name one, or give --targets and --frames");
  return { targets, frames, noise: SIMULATION_DEFAULTS.noise };
}

function simulationOf(
  { path, source }: { readonly path: string; readonly source: ScenarioSource },
  { targets, frames }: SimulateFlags,
): SimulationParameters {
  if (source.kind !== "simulation")
    throw new InputError(`${path}: its source is ${source.kind}; name a scenario with a simulation or a belt`);
  const { kind: _, ...parameters } = source;
  return { ...parameters, targets: targets ?? parameters.targets, frames: frames ?? parameters.frames };
}

/** Particles on a belt as its camera sees them. */
async function simulateOnBelt(
  path: string,
  source: ScenarioSource & { kind: "belt" },
  seed: number,
  flags: SimulateFlags,
  progress: Progress,
): Promise<Outcome | undefined> {
  for (const [option, value] of [
    ["--targets", flags.targets],
    ["--velocity-noise", flags.velocityNoise],
  ] as const) {
    if (value !== undefined)
      throw new InputError(`${option}: ${path} simulates a belt, which is fed by its rate; leave it out`);
  }
  const { kind: _, ...parameters } = source;
  const drawn = flags.seed ?? seed;
  const frames = flags.frames ?? parameters.frames;
  const run = simulateBelt({ ...parameters, frames, noise: flags.noise ?? parameters.noise }, drawn, (done) =>
    progress.show("frames", done, frames),
  );
  progress.end();
  if (run.deepestOverlap > MOST_OVERLAP) {
    const deepest = (100 * run.deepestOverlap).toFixed(1);
    printProblem(`note: bodies overlap by up to ${deepest} % of a radius; a greater stiffness is more exact`);
  }
  const text = formatDetections(run.detections, [
    ["units", "m"],
    ["source", "rmap simulate, belt"],
    ["seed", String(drawn)],
  ]);
  return await write(text, flags.output, { seed: drawn, frames });
}

/** Writes piece by piece, since the whole may be longer than a string can be. */
async function write(
  pieces: Iterable<string>,
  output: string | undefined,
  drawn: object,
): Promise<Outcome | undefined> {
  if (output !== undefined) {
    writeWhole(output, pieces);
    return { text: "", json: { ...drawn, output } };
  }
  for (const piece of gathered(pieces)) if (!process.stdout.write(piece)) await once(process.stdout, "drain");
  return undefined;
}
