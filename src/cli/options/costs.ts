/** Options of the costs, which decide the problem: the same for every command that makes a problem of an input. */
import { InvalidArgumentError } from "commander";
import { MAX_COST } from "../../costs/births.js";
import { GATE_RANGE } from "../../costs/gate.js";
import { COST_NAMES, type CostName } from "../../costs/models/cost-models.js";
import { PRIOR_NAMES, PRIORS, priorProblem, type StatedPriors } from "../../costs/motion/stated-priors.js";
import { nearest } from "../../files/nearest.js";
import { shown } from "../../files/refusal.js";
import { SETTINGS } from "../../formats/settings.js";
import { DEFAULT_PASSES } from "../../run/motion-passes.js";
import { TRIPLET_STORAGES } from "../../run/storage.js";
import { choice, grouped, oneOf, option, toggle } from "../declaration/declaration.js";
import { inputFile, reading } from "./files.js";
import { finite, integer, setting } from "./values.js";

export const costOptions = () => ({
  seed: option("--seed <n>", "seed of a simulation, instead of the scenario's", setting(SETTINGS.seed)),
  ...grouped("Costs", {
    cost: option("--cost <name>", `cost of links and triplets: ${COST_NAMES.join(", ")}, or a file (./mine.mjs)`, cost),
    costParameter: option(
      "--cost-parameter <name=value>",
      "set a parameter of the cost; may be repeated",
      costParameter,
    ),
    gate: gateOption(", or auto"),
    births: option("--births <costs>", "cost of a track's start and end: auto, none, COST or BIRTH,DEATH", births),
    estimateVelocities: toggle("--estimate-velocities", "estimate velocities although the recording has them"),
    triplets: choice(
      "--triplets <storage>",
      "implicit: computed from the links, the default unless the input brings its costs; csr: stored; dense: stored, none gated out",
      TRIPLET_STORAGES,
    ),
  }),
  ...grouped("Cost motion, which recordings have by default", {
    prior: option(
      "--prior <name=value,…>",
      `what you know, in the place of estimates: ${PRIOR_NAMES.map((name) => `${name} (${PRIORS[name].says})`).join(", ")}`,
      prior,
    ),
    maxGap: option("--max-gap <n>", "frames in a row that a target may be missed (default: estimated)", integer(0, 20)),
    divisions: choice(
      "--divisions <when>",
      "auto: find targets that divide and price divisions, the default unless --births states costs; none",
      ["auto", "none"],
    ),
    passes: option(
      "--passes <n>",
      `how often to estimate the motion and solve again (default: ${DEFAULT_PASSES}; one less with --max-gap 0, one more where detections were often missed, for long recordings and where targets divide)`,
      integer(1, 20),
    ),
    links: option(
      "--links <file>",
      "links that are required or forbidden, a CSV frame,i,j,link[,next] (docs/reference/formats.md)",
      inputFile,
    ),
  }),
});

export const gateOption = (more = "") =>
  option(
    "--gate <epsilon>",
    `which links are candidates: ε (within speed · δt · ε), radius=LENGTH, triplets=ε, none${more}`,
    gate,
  );

const size = setting(GATE_RANGE);

/** "5" is an ε, "2.5m" would be a unit too many: a radius is given as radius=2.5. */
function gate(text: string): { epsilon: number } | { radius: number } | { tripletEpsilon: number } | "none" | "auto" {
  if (text === "none" || text === "auto") return text;
  const triplets = /^triplets=(.*)$/.exec(text);
  if (triplets) return { tripletEpsilon: size(triplets[1]) };
  const radius = /^radius=(.*)$/.exec(text);
  if (radius) return { radius: size(radius[1]) };
  if (Number.isNaN(Number(text))) {
    throw new InvalidArgumentError("Give a number ε above 0, radius=LENGTH, triplets=ε, none or auto.");
  }
  return { epsilon: size(text) };
}

/** A built-in cost by name, or a file that exports one: a path with a slash or the ending of a module. */
const cost = reading(
  (text): CostName | { file: string } => (/[/\\]|\.[cm]?js$/.test(text) ? { file: text } : oneOf(COST_NAMES, text)),
  (choice) => (typeof choice === "string" ? [] : [choice.file]),
);

/** "weight=2", added to those given before. */
function costParameter(text: string, before: Record<string, number> = {}): Record<string, number> {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("Give NAME=VALUE.");
  return { ...before, [name]: finite(value) };
}

/** "noise=0.5,missed=0.1", added to what was given before. */
function prior(text: string, before: StatedPriors = {}): StatedPriors {
  const stated: Record<string, number | undefined> = { ...before };
  for (const part of text.split(",")) {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(part) ?? [];
    const known = PRIOR_NAMES.find((one) => one === name);
    if (known === undefined) throw new InvalidArgumentError(unknownPrior(part, name));
    if (stated[known] !== undefined) throw new InvalidArgumentError(`${known} is stated twice; state it once.`);
    const problem = priorProblem(known, value.trim() === "" ? Number.NaN : Number(value), value);
    if (problem !== null) throw new InvalidArgumentError(`${problem}.`);
    stated[known] = Number(value);
  }
  return stated;
}

function unknownPrior(part: string, name: string): string {
  if (name === "")
    return `${shown(part)} is no NAME=VALUE; give some of ${PRIOR_NAMES.join(", ")}, as in missed=0.1,clutter=9.`;
  const meant = nearest(name, PRIOR_NAMES);
  return `There is no prior ${shown(name)}; ${meant === null ? `give some of ${PRIOR_NAMES.join(", ")}` : `did you mean ${meant}?`}`;
}

function births(text: string): "none" | "auto" | { birth: number; death: number } {
  if (text === "none" || text === "auto") return text;
  const costs = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (costs.length > 2 || !costs.every((cost) => Math.abs(cost) < MAX_COST)) {
    throw new InvalidArgumentError('Give "none", "auto", one cost, or BIRTH,DEATH, below 1e30.');
  }
  return { birth: costs[0], death: costs[costs.length - 1] };
}
