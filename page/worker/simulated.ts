/** Simulated scenarios, whose numbers the page may change. */
import { type DetectionsFile, recordingOf } from "../../dist/formats/detections.js";
import { checkScenario, type Scenario } from "../../dist/formats/scenario.js";
import { simulate } from "../../dist/simulation/trajectories.js";
import type { Simulation } from "./protocol.js";

export const SCENARIO = "scenario.json";

/** The detections of a scenario that draws targets; null for any other. */
export function drawnBy({ source, name, seed }: Scenario): DetectionsFile | null {
  return source.kind === "simulation" ? recordingOf(name, simulate(source, seed)) : null;
}

export function simulationOf({ source, seed }: Scenario): Simulation | null {
  if (source.kind !== "simulation") return null;
  const { targets, frames, noise, spread, dimensions = 2 } = source;
  return { targets, frames, noise: noise.position, density: targets / spread ** dimensions, seed };
}

/** The scenario with other numbers. Its targets begin in a square, or a cube, that is as large as their density has it. */
export function withNumbers(scenario: Scenario, { targets, frames, noise, density, seed }: Simulation): Scenario {
  const { source } = scenario;
  if (source.kind !== "simulation") throw new Error("these detections are not simulated");
  const spread = (targets / density) ** (1 / (source.dimensions ?? 2));
  const changed = { ...source, targets, frames, spread, noise: { ...source.noise, position: noise } };
  return checkScenario(jsonOf({ ...scenario, source: changed, seed }), () => SCENARIO, ".");
}

/** What the file of a scenario holds. */
export function textOf(scenario: Scenario): string {
  return `${JSON.stringify(jsonOf(scenario), null, 2)}\n`;
}

function jsonOf({ name, source, pricing, solve, seed }: Scenario): unknown {
  const { kind, ...simulation } = source as Scenario["source"] & { kind: "simulation" };
  const { degree, ...others } = simulation;
  return { name, [kind]: simulation.path === "spline" ? others : simulation, ...pricing, solve, seed };
}
