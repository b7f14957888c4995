import { createHash } from "node:crypto";
import { z } from "zod";
import { InputError } from "../core/errors.js";
import { refuse } from "../files/refusal.js";
import { readBytes } from "../files/text-file.js";
import type { Cut } from "../map/certificate/cuts.js";
import type { Proof } from "../map/exact/check-proof.js";
import type { Graph } from "../map/instance/instance.js";

/** proof.json: the data needed to check a bound again, with its instance and tracks (docs/exact.md §6). */
export interface ProofFile {
  /** Digest of the instance, so that a proof is not taken for that of another one. */
  readonly instance: string;
  /** The options of the command line that concern the costs. */
  readonly overrides: Readonly<Record<string, unknown>>;
  readonly lowerBound: number;
  readonly upperBound: number;
  /** Link of each detection into the next frame by the instance's numbers, −1 where its track ends. */
  readonly tracks: Int32Array;
  readonly proof: Proof;
}

const base64 = z.base64();
const cut = z.strictObject({
  kind: z.enum(["clique", "odd-hole"]),
  items: z.array(z.tuple([z.int(), z.int()])).min(1),
  groups: z.array(z.int()).optional(),
});
const stage = z.strictObject({ v: base64, columnDual: base64, cuts: z.array(cut), cutMultipliers: base64 });
const narrowing = z.strictObject({ ...stage.shape, below: z.number().optional() });
const leaf = z.strictObject({
  ...stage.shape,
  decisions: z.array(z.tuple([z.int().min(0), z.union([z.literal(0), z.literal(1)])])),
});
const proofFile = z.strictObject({
  format: z.literal("rmap-proof-1"),
  instance: z.string(),
  overrides: z.record(z.string(), z.json()),
  lowerBound: z.number(),
  upperBound: z.number(),
  tracks: base64,
  stages: z.array(narrowing).min(1),
  leaves: z.array(leaf),
});

/** SHA-256 over frames, edges and costs, little-endian. */
export function digestOf({ frameStart, links, tail, head, cost, triplets, surcharge }: Graph): string {
  const hash = createHash("sha256");
  const take = (name: string, values: Float64Array | Uint32Array | Int32Array): void => {
    hash.update(`${name} ${values.length}\n`).update(bytesOf(values));
  };
  hash.update(`${triplets.kind} ${triplets.kind === "implicit" ? triplets.rule : ""} ${links}\n`);
  take("frameStart", frameStart);
  take("tail", tail);
  take("head", head);
  take("cost", cost);
  if (surcharge !== null) take("stated", surcharge.stated);
  if (triplets.kind === "implicit") take("perLink", triplets.perLink);
  else {
    take("start", triplets.start);
    take("successor", triplets.successor);
    take("triplets", triplets.cost);
  }
  return hash.digest("hex");
}

export function formatProof({ instance, overrides, lowerBound, upperBound, tracks, proof }: ProofFile): string {
  const stageOf = ({ v, columnDual, cuts, cutMultipliers, below }: Proof["stages"][number]) => ({
    v: encoded(v),
    columnDual: encoded(columnDual),
    cuts,
    cutMultipliers: encoded(cutMultipliers),
    ...(below !== undefined && { below }),
  });
  const file = {
    format: "rmap-proof-1",
    instance,
    overrides,
    lowerBound,
    upperBound,
    tracks: encoded(tracks),
    stages: proof.stages.map(stageOf),
    leaves: proof.leaves.map((one) => ({ decisions: one.decisions, ...stageOf(one) })),
  };
  return `${JSON.stringify(file)}\n`;
}

/** @throws InputError for a file that is no proof */
export function readProof(file: string): ProofFile {
  let content: unknown;
  try {
    content = JSON.parse(readBytes(file).toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) refuse(file, "is no JSON", "name a proof.json that rmap solve -o wrote");
    throw error;
  }
  const parsed = proofFile.safeParse(content);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0];
    throw new InputError(`${file}: ${path.join(".")}: ${message}; name a proof.json that rmap solve -o wrote`);
  }
  const { stages, leaves, tracks, format: _, ...rest } = parsed.data;
  const place = (name: string) => `${file}: ${name}`;
  const stageOf = (one: z.output<typeof stage>, name: string) => ({
    v: floats(one.v, place(`${name}.v`)),
    columnDual: floats(one.columnDual, place(`${name}.columnDual`)),
    cuts: one.cuts as Cut[],
    cutMultipliers: floats(one.cutMultipliers, place(`${name}.cutMultipliers`)),
  });
  const own = decoded(tracks, 4, place("tracks"));
  return {
    ...rest,
    tracks: new Int32Array(own.buffer, own.byteOffset, own.length / 4),
    proof: {
      stages: stages.map(({ below, ...one }, n) => ({
        ...stageOf(one, `stages.${n}`),
        ...(below !== undefined && { below }),
      })),
      leaves: leaves.map(({ decisions, ...one }, n) => ({ decisions, ...stageOf(one, `leaves.${n}`) })),
    },
  };
}

function bytesOf(values: Float64Array | Uint32Array | Int32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function encoded(values: Float64Array | Int32Array): string {
  return Buffer.from(bytesOf(values)).toString("base64");
}

function decoded(text: string, width: number, place: string): Uint8Array {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  if (bytes.length % width !== 0)
    refuse(place, `has ${bytes.length} bytes`, `give whole numbers of ${width} bytes each`);
  return bytes;
}

function floats(text: string, place: string): Float64Array {
  const bytes = decoded(text, 8, place);
  const values = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0)
    refuse(`${place}, number ${wrong}`, `is ${values[wrong]}`, "name a proof.json that rmap solve -o wrote");
  return values;
}
