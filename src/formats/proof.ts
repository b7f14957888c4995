import { constants } from "node:buffer";
import { z } from "zod";
import { COST_NAMES } from "../costs/models/cost-models.js";
import { checkJson, type JsonPath } from "../files/json-file.js";
import { refuse } from "../files/refusal.js";
import { plainText, readBytes } from "../files/text-file.js";
import type { Cut, Item } from "../map/certificate/cuts.js";
import { ASCENTS, type AscentName } from "../map/dual/ascents.js";
import type { Decision, Leaf, Proof, RegionProof, Stage } from "../map/proof/proof.js";
import { decoded, encoded, floats, integers } from "./base64-arrays.js";
import { readingOptions } from "./reading-options.js";
import { births, gate, priors } from "./scenario.js";
import { SETTINGS, schemaOf } from "./settings.js";

/** proof.json: the data needed to check a bound again, with its instance and tracks (docs/explanation/proofs.md §6). */
export interface ProofFile {
  /** Digest of the instance, so that a proof is not taken for that of another one. */
  readonly instance: string;
  /** The options of the command line that concern the costs. */
  readonly overrides: ProofOptions;
  readonly lowerBound: number;
  readonly upperBound: number;
  /** Link of each detection into the next frame by the instance's numbers, −1 where its track ends. */
  readonly tracks: Int32Array;
  readonly proof: Proof;
}

export interface ReadProof extends ProofFile {
  /** Whether the stages of the proof have their cores, as those of rmap-proof-1 have not. */
  readonly hasCores: boolean;
}

/** The files that options name are the user's to name again: a proof may come from anyone, and a cost is code. */
const positive = z.number().positive();
const options = z
  .strictObject({
    seed: schemaOf(SETTINGS.seed),
    cost: z.union(
      [
        z.enum(COST_NAMES),
        z.strictObject({
          file: z.string().min(1),
          /** Missing in the proofs of versions that did not state it. */
          sha256: z
            .string()
            .regex(/^[0-9a-f]{64}$/)
            .optional(),
        }),
      ],
      { error: `give one of ${COST_NAMES.join(", ")}, or {"file": path, "sha256": 64 hexadecimal digits}` },
    ),
    costParameter: z.record(z.string(), z.number()),
    prior: priors,
    gate,
    births,
    estimateVelocities: z.boolean(),
    maxGap: z.int().min(0).max(20),
    divisions: z.enum(["auto", "none"]),
    links: z.string().min(1),
    ...readingOptions.shape,
    triplets: z.enum(["implicit", "csr", "dense"]),
    /** How costs that come from tracks were estimated; few enough iterations that a check ends. */
    estimated: z.strictObject({
      passes: z.int().min(1).max(20).nullable(),
      solves: z.int().min(0).max(100).optional(),
      ascent: z.enum(Object.keys(ASCENTS) as [AscentName]),
      iterations: z.int().min(1).max(100),
      gap: positive,
    }),
  })
  .partial();

/** The options of the command line that concern the costs, how the detections were read among them, and how costs that come from tracks were estimated. */
export type ProofOptions = z.output<typeof options>;

// Lists that may have millions of entries are checked by hand: a schema would keep a complaint about each entry.
const listOf = <T>(isOne: (value: unknown) => boolean, error: string) =>
  z.custom<T[]>((value) => Array.isArray(value) && value.every(isOne), { error });
const isPair = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
const items = listOf<Item>(isPair, "give a list of items [edge, edge or −1]");
const decisions = listOf<Decision>(
  (value) => isPair(value) && value[0] >= 0 && (value[1] === 0 || value[1] === 1),
  "give a list of decisions [edge, 0 or 1]",
);
const few = <T extends z.ZodType>(one: T, most: number) => z.array(z.unknown()).max(most).pipe(z.array(one));

const cut = z.strictObject({
  kind: z.enum(["clique", "odd-hole", "exclusion"]),
  items: items.refine((list) => list.length > 0, "give at least one item"),
  groups: listOf<number>(
    (size) => Number.isSafeInteger(size) && (size as number) > 0,
    "give sizes of groups",
  ).optional(),
  set: z.int().min(0).optional(),
});
const base64 = z.string();
const stage = z.strictObject({
  v: base64,
  columnDual: base64,
  cuts: few(cut, 1_000_000),
  cutMultipliers: base64,
});
const core = z.strictObject({ edges: base64, triplets: base64 });
/** rmap-proof-1 has no cores: they follow from the multipliers (map/exact/rebuilt-cores.ts). */
const narrowing = z.strictObject({ ...stage.shape, core: core.optional(), below: z.number().optional() });
const stages = few(narrowing, 100_000);
/** A leaf is its first stage, and what follows where that has a core, as it has from rmap-proof-3 on. */
const leaf = z.strictObject({
  ...stage.shape,
  decisions,
  core: core.optional(),
  stages: stages.optional(),
  get leaves(): z.ZodOptional<z.ZodType<FileLeaf[]>> {
    return leaves.optional();
  },
});
type FileLeaf = z.output<typeof stage> & {
  readonly decisions: Decision[];
  readonly core?: z.output<typeof core> | undefined;
  readonly stages?: z.output<typeof stages> | undefined;
  readonly leaves?: FileLeaf[] | undefined;
};
const leaves: z.ZodType<FileLeaf[]> = few(leaf, 1_000_000);
const region = z.strictObject({
  detections: base64,
  limit: z.number().positive(),
  tracks: base64,
  stages,
  leaves,
});
const proofFile = z.strictObject({
  format: z.enum(["rmap-proof-1", "rmap-proof-2", "rmap-proof-3"]),
  instance: z.string(),
  overrides: options,
  lowerBound: z.number(),
  upperBound: z.number(),
  tracks: base64,
  stages: stages.refine((list) => list.length > 0, "give at least one stage"),
  leaves,
  regions: few(region, 1_000_000).optional(),
});

export function formatProof({ instance, overrides, lowerBound, upperBound, tracks, proof }: ProofFile): string {
  const stageOf = ({ v, columnDual, cuts, cutMultipliers, core, below }: Stage) => ({
    v: encoded(v),
    columnDual: encoded(columnDual),
    cuts,
    cutMultipliers: encoded(cutMultipliers),
    ...(core !== undefined && { core: { edges: encoded(core.edges), triplets: encoded(core.triplets) } }),
    ...(below !== undefined && { below }),
  });
  const leafOf = ({ decisions, stages: [first, ...rest], leaves }: Leaf): object => ({
    decisions,
    ...stageOf(first),
    ...(rest.length > 0 && { stages: rest.map(stageOf) }),
    ...(leaves.length > 0 && { leaves: leaves.map(leafOf) }),
  });
  const file = {
    format: "rmap-proof-3",
    instance,
    overrides,
    lowerBound,
    upperBound,
    tracks: encoded(tracks),
    stages: proof.stages.map(stageOf),
    leaves: proof.leaves.map(leafOf),
    ...(proof.regions && {
      regions: proof.regions.map((region) => ({
        detections: encoded(region.detections),
        limit: region.limit,
        tracks: encoded(region.tracks),
        stages: region.proof.stages.map(stageOf),
        leaves: region.proof.leaves.map(leafOf),
      })),
    }),
  };
  return `${JSON.stringify(file)}\n`;
}

/**
 * Deepest nesting of a proof, and most brackets and commas outside of its texts: a file of nothing else takes 20 times its size of memory, where one
 * of multipliers takes little more than itself.
 */
const DEEPEST = 128;
const MOST_MARKS = 2 ** 26;
/** Characters of a key in a message. */
const LONGEST_NAME = 60;
const REMEDY = "name a proof.json that rmap solve -o wrote";

/**
 * Reads a proof, which may come from anyone: nothing that it names is opened, and every number is finite.
 * @throws InputError for a file that is no proof
 */
export function readProof(file: string): ReadProof {
  const bytes = plainText(file, readBytes(file, { maxBytes: constants.MAX_STRING_LENGTH, remedy: REMEDY }));
  refuseBomb(file, bytes);
  let content: unknown;
  try {
    content = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) refuse(file, "is no JSON", REMEDY);
    throw error;
  }
  const place = (path: JsonPath): string =>
    path.length === 0 ? file : `${file}: ${path.map((key) => String(key).slice(0, LONGEST_NAME)).join(".")}`;
  const { stages, leaves, regions, tracks, format, ...rest } = checkJson(content, proofFile, place);
  return {
    ...rest,
    tracks: integers(tracks, place(["tracks"])),
    hasCores: format !== "rmap-proof-1",
    proof: {
      stages: readStages(stages, place, "stages"),
      leaves: readLeaves(leaves, place, "leaves"),
      ...(regions && { regions: regions.map((region, n) => readRegion(region, place, "regions", n)) }),
    },
  };
}

function readRegion(given: z.output<typeof region>, place: Place, ...path: JsonPath): RegionProof {
  return {
    detections: Uint32Array.from(integers(given.detections, place([...path, "detections"]))),
    limit: given.limit,
    tracks: integers(given.tracks, place([...path, "tracks"])),
    proof: {
      stages: readStages(given.stages, place, ...path, "stages"),
      leaves: readLeaves(given.leaves, place, ...path, "leaves"),
    },
  };
}

type Place = (path: JsonPath) => string;

function readStages(given: z.output<typeof stages>, place: Place, ...path: JsonPath): Stage[] {
  return given.map((one, n) => readStage(one, place, ...path, n));
}

function readStage({ core, below, ...one }: z.output<typeof narrowing>, place: Place, ...path: JsonPath): Stage {
  return {
    v: floats(one.v, place([...path, "v"])),
    columnDual: floats(one.columnDual, place([...path, "columnDual"])),
    cuts: one.cuts as Cut[],
    cutMultipliers: floats(one.cutMultipliers, place([...path, "cutMultipliers"])),
    ...(core !== undefined && {
      core: {
        edges: decoded(core.edges, 1, place([...path, "core", "edges"])),
        triplets: decoded(core.triplets, 1, place([...path, "core", "triplets"])),
      },
    }),
    ...(below !== undefined && { below }),
  };
}

function readLeaves(given: readonly FileLeaf[], place: Place, ...path: JsonPath): Leaf[] {
  return given.map(({ decisions, stages = [], leaves = [], ...first }, n) => ({
    decisions,
    stages: [readStage(first, place, ...path, n), ...readStages(stages, place, ...path, n, "stages")],
    leaves: readLeaves(leaves, place, ...path, n, "leaves"),
  }));
}

/** Refuses what JSON.parse would take more memory for than there is. */
function refuseBomb(file: string, bytes: Buffer): void {
  const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
  let [depth, marks] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) {
      let escapes: number;
      do {
        at = bytes.indexOf(quote, at + 1);
        if (at < 0) return;
        escapes = 0;
        while (bytes[at - 1 - escapes] === backslash) escapes++;
      } while (escapes % 2 === 1);
      continue;
    }
    // The brackets of either kind differ in one bit.
    const bracket = byte | 0x20;
    if (bracket === 0x7b) depth++;
    else if (bracket === 0x7d) depth--;
    else if (byte !== comma) continue;
    marks++;
    if (depth > DEEPEST) refuse(file, `is nested more than ${DEEPEST} deep`, REMEDY);
    if (marks > MOST_MARKS) refuse(file, `holds more than ${MOST_MARKS} brackets and commas`, REMEDY);
  }
}
