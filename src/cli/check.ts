import { InputError } from "../core/errors.js";
import type { CostName } from "../costs/models/cost-models.js";
import { refuse, shown } from "../files/refusal.js";
import { ROLES } from "../formats/column-names.js";
import { digestOf } from "../formats/digest.js";
import { PROPERTIES } from "../formats/geff-properties.js";
import { asWord } from "../formats/header-refusals.js";
import { readInput } from "../formats/input.js";
import { type ProofFile, type ProofOptions, readProof } from "../formats/proof.js";
import type { ReadingOptions } from "../formats/reading-options.js";
import type { Graph } from "../map/instance/instance.js";
import { chooseCostFile } from "../run/cost-source.js";
import { makeInstance } from "../run/costs.js";
import { EXACT_TRIPLETS, type Exact, type Judged, judgeProof } from "../run/judge-proof.js";
import type { ProblemOverrides } from "../run/overrides.js";
import { now } from "./clock.js";
import { argument, command, Declared, type FlagsOf, grouped, option, toggle } from "./declaration/declaration.js";
import { EXIT } from "./exit.js";
import { inputFile, problemInput } from "./options/files.js";
import { verbose } from "./options/output.js";
import { readingOptions } from "./options/reading.js";
import { threads } from "./options/running.js";
import { grainNote, many, printWarnings, textOf } from "./print.js";
import type { Progress } from "./progress.js";
import { showInstance } from "./solve-progress.js";
import { formatBound, formatNumber, formatPercent } from "./text.js";

const options = {
  ...grouped("What the proof was made with", {
    cost: option("--cost <file>", "the file of its cost: a proof never loads one by itself", inputFile),
    links: option("--links <file>", "the file of its fixed links", inputFile),
  }),
  exactArithmetic: new Declared<boolean | undefined>(
    "--exact-arithmetic",
    `check also without any rounding, in integers of any length (the default up to ${EXACT_TRIPLETS} triplets)`,
  ),
  noExactArithmetic: toggle("--no-exact-arithmetic", "check in f64 alone, rounding counted"),
  verbose: verbose("what the proof is made of"),
  threads: threads(" for the costs"),
  ...readingOptions(),
};

type CheckFlags = FlagsOf<typeof options>;

export const check = command({
  group: "Proofs and models",
  summary: "Check a proof that rmap solve -o wrote: that no set of tracks costs less than its bound.",
  arguments: {
    proof: argument("proof.json", inputFile),
    input: argument("the scenario, detections or instance folder that was solved", problemInput),
  },
  options,
  examples: [
    "rmap solve scenarios/wide.json --exact -o results/wide",
    "rmap check results/wide/proof.json scenarios/wide.json",
    "rmap check results/mine/proof.json detections.csv --cost ./mine.mjs",
  ],
  notes: `The input is read, and the costs are made again, with the options that the proof names, which are printed; the proof must be about exactly these costs.
A proof may come from anyone, so files that it names are not opened: name the cost and the links that it was made with yourself, once you have
read them. A cost file must have the SHA-256 digest that the proof states.
The exit code is 3 when the proof does not hold, or proves less than it says.`,
  async run({ proof, input }, flags, { progress }) {
    const file = readProof(proof);
    const { graph, name } = await instanceOf(proof, file, input, flags, progress);
    const begin = now();
    const { checked, exact, verdict } = judgeProof(graph, file, {
      exactly: flags.exactArithmetic,
      progress: (phase, done, total) => progress.show(phase, done, total),
    });
    const seconds = now() - begin;
    return {
      text: describe(name, file, checked, exact, verdict, flags.verbose === true ? seconds : null),
      json: {
        ...checked,
        exact: exact?.valid ? { ...exact, text: describeExactly(exact) } : exact,
        ...{ claimed: file.lowerBound, options: file.overrides, holds: verdict.holds, seconds },
      },
      code: verdict.holds ? undefined : EXIT.belowRequired,
    };
  },
});

/** The instance that the proof is about, made again of the input. */
async function instanceOf(
  proof: string,
  file: ProofFile,
  input: string,
  flags: CheckFlags,
  progress: Progress,
): Promise<{ graph: Graph; name: string }> {
  const overrides = withNamedFiles(proof, file.overrides, flags);
  const reading = readingOf(proof, file.overrides, flags);
  const options = { threads: flags.threads, now, ...showInstance(progress) };
  const { graph, problem } = await makeInstance(
    await readInput(input, reading),
    overrides,
    options,
    file.overrides.estimated,
  );
  if (digestOf(graph) !== file.instance) {
    throw new InputError(
      `${proof}: is about other costs than those of ${input}; name the input, and the version of rmap, that it was made from; costs that a GPU estimated from tracks may differ on a CPU`,
    );
  }
  if (file.tracks.length !== graph.frameStart[graph.frames])
    throw new InputError(`${proof}: has tracks of ${file.tracks.length} detections; the input has another number`);
  printWarnings(input, problem.notes);
  return { graph, name: problem.name };
}

function describe(
  name: string,
  file: ProofFile,
  checked: Judged["checked"],
  exact: Exact | null,
  { bounded, priced }: Judged["verdict"],
  seconds: number | null,
): string {
  if (!checked.valid) return `${name}: the proof does not hold: ${checked.why}\n`;
  const optimal = checked.optimal && (exact === null || (exact.valid && exact.optimal));
  const verdict = !bounded
    ? `proves less than the ${formatNumber(file.lowerBound)} that it names`
    : priced
      ? `holds${optimal ? ": the tracks are optimal" : ""}`
      : `names another cost of the tracks, ${formatNumber(file.upperBound)}`;
  const counts = [many(checked.stages, "stage"), many(checked.cuts, "cut"), many(checked.leaves, "leaf", "leaves")];
  return textOf([
    `${name}: the proof ${verdict}`,
    ["tracks", `cost ${formatNumber(checked.upperBound)}`],
    [
      "lower bound",
      `${(optimal ? formatNumber : formatBound)(checked.lowerBound)} (f64, rounding counted${checked.grain === null ? "" : `; ${grainNote(checked.grain)}`})`,
    ],
    ...(exact === null
      ? []
      : [["exactly", exact.valid ? describeExactly(exact) : `it does not hold: ${exact.why}`] as const]),
    ["gap", optimal ? "0 % (the tracks are optimal)" : formatPercent(100 * checked.gap)],
    ...(seconds === null
      ? []
      : [["by", `${counts.join(", ")} over ${checked.triplets} triplets; ${seconds.toFixed(2)} s`] as const]),
    ["made with", describeOptions(file.overrides)],
  ]);
}

/**
 * The options of a proof with the files that the user names in place of those that it names.
 * @throws InputError where either lacks a file that the other has, and for a cost file with another digest
 */
function withNamedFiles(
  proof: string,
  { cost, links, estimated: _, ...others }: ProofOptions,
  named: Pick<CheckFlags, "cost" | "links">,
): ProblemOverrides {
  const stated = typeof cost === "object" ? cost : null;
  const files = { cost: stated?.file, links };
  for (const option of ["cost", "links"] as const) {
    if (files[option] !== undefined && named[option] === undefined) {
      refuse(
        proof,
        `was made with --${option} ${shown(files[option])}, which is not opened because a proof names it`,
        `read that file, and give --${option} FILE`,
      );
    }
    if (files[option] === undefined && named[option] !== undefined) {
      refuse(`--${option} ${named[option]}`, "the proof was made without such a file", "leave it out");
    }
  }
  const own = named.cost === undefined ? null : chooseCostFile(named.cost);
  if (own !== null && stated?.sha256 !== undefined && own.sha256 !== stated.sha256) {
    refuse(
      `--cost ${own.file}`,
      `its SHA-256 digest is ${own.sha256}, that of the proof's cost ${stated.sha256}`,
      "name the file that the proof was made with",
    );
  }
  return { ...others, cost: own === null ? (cost as CostName | undefined) : own, links: named.links };
}

/**
 * How the detections were read: as the proof says, else as the command line does, since proofs of earlier versions do not say.
 * @throws InputError for an option that says something else than the proof
 */
function readingOf(proof: string, stored: ReadingOptions, given: ReadingOptions): ReadingOptions {
  const [kept, asked] = [wordsOfReading(stored), wordsOfReading(given)];
  for (const option of READING_OPTIONS) {
    const [was, is] = [kept[option], asked[option]];
    if (was !== undefined && is !== undefined && was !== is)
      refuse(`${option} ${is}`, `the proof was made with ${option} ${was}`, "leave it out: the proof states it");
  }
  const { columns = given.columns, properties = given.properties } = stored;
  const { dt = given.dt, zScale = given.zScale, decimal = given.decimal, dates = given.dates } = stored;
  const isStated = Object.values(kept).some((word) => word !== undefined);
  return { columns, properties, dt, zScale, decimal, dates, ...(isStated && { statedBy: proof }) };
}

const READING_OPTIONS = ["--columns", "--properties", "--dt", "--z-scale", "--decimal", "--dates"] as const;

/** The values of the options, as they stand on a command line. */
function wordsOfReading({ columns = {}, properties = {}, dt, zScale, decimal, dates }: ReadingOptions) {
  const words = <Role extends string>(roles: readonly Role[], names: Partial<Record<Role, string>>) => {
    const named = roles.flatMap((role) => (names[role] === undefined ? [] : [`${role}=${names[role]}`])).join(",");
    return named === "" ? undefined : asWord(named);
  };
  const names = { "--columns": words(ROLES, columns), "--properties": words(PROPERTIES, properties) };
  return { ...names, "--dt": dt, "--z-scale": zScale, "--decimal": decimal, "--dates": dates };
}

/** Options as they stand on a command line. */
function describeOptions({ estimated, ...options }: ProofOptions): string {
  const { seed, cost, costParameter, prior, gate, births, estimateVelocities, maxGap, divisions, links, triplets } =
    options;
  const bounds = typeof gate === "object" ? Object.entries(gate)[0] : null;
  const prefix: Record<string, string> = { epsilon: "", radius: "radius=", tripletEpsilon: "triplets=" };
  const given = {
    "--seed": seed,
    "--cost":
      typeof cost === "object"
        ? `${cost.file}${cost.sha256 === undefined ? " (no digest is stated, so none was compared)" : ""}`
        : cost,
    "--gate": bounds === null ? gate : `${prefix[bounds[0]]}${bounds[1]}`,
    "--births": typeof births === "object" ? `${births.birth},${births.death}` : births,
    "--prior":
      prior &&
      Object.entries(prior)
        .map(([name, value]) => `${name}=${value}`)
        .join(),
    "--max-gap": maxGap,
    "--divisions": divisions,
    "--links": links,
    ...wordsOfReading(options),
    "--triplets": triplets,
  };
  const words = [
    ...Object.entries(given).flatMap(([option, value]) => (value === undefined ? [] : [`${option} ${value}`])),
    ...Object.entries(costParameter ?? {}).map(([name, value]) => `--cost-parameter ${name}=${value}`),
    ...(estimateVelocities === true ? ["--estimate-velocities"] : []),
  ];
  const asked = words.length === 0 ? "no options of the costs" : words.join(" ");
  if (estimated === undefined) return asked;
  const { ascent, iterations, gap, solves, passes } = estimated;
  const counted = solves === undefined ? "" : `${solves} `;
  return `${asked}; costs from ${counted}rough solves by ${ascent}, ${iterations} iterations, gap ${formatPercent(100 * gap)}${passes === null ? "" : `, --passes ${passes}`}`;
}

/** Result of a check without rounding. */
function describeExactly({ lowerBound, optimal, apart }: Extract<Exact, { valid: true }>): string {
  if (optimal) return "the tracks are optimal, without any rounding";
  return `${formatBound(lowerBound)}, ${apart.toPrecision(2)} below the tracks, without any rounding`;
}
