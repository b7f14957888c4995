import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Proofs as whoever wants a false verdict, a crash or a hang would write them, made from honest ones. */

const instances = fileURLToPath(new URL("../../instances/", import.meta.url));

/** The content of a proof.json as far as it is changed here. */
export interface ProofJson {
  instance: string;
  overrides: Record<string, unknown>;
  lowerBound: number;
  upperBound: number;
  tracks: string;
  stages: StageJson[];
  leaves: (StageJson & { decisions: [number, number][] })[];
}

interface StageJson {
  v: string;
  columnDual: string;
  cuts: { kind: string; items: [number, number][]; groups?: number[] }[];
  cutMultipliers: string;
  core?: { edges: string; triplets: string };
  below?: number;
}

/** A committed proof of optimality, and the scenario that it is about. */
export function honest(name: string): { readonly proof: ProofJson; readonly input: string } {
  const proof = JSON.parse(readFileSync(`${instances}proofs/${name}.json`, "utf8"));
  return { proof, input: `${instances}scenarios/${name}.json` };
}

export interface Hostile {
  readonly name: string;
  /** The file's bytes, from the content of an honest proof, which it may change. */
  readonly make: (proof: ProofJson) => string | Buffer;
  /** 2: no proof, or none of this input. 3: a proof that does not hold. */
  readonly code: 2 | 3;
  /** What the one line says. */
  readonly says: RegExp;
}

/** base64 of an array with one number changed. */
export function withNumber(text: string, at: number, value: number): string {
  const bytes = Buffer.from(text, "base64");
  bytes.writeDoubleLE(value, 8 * at);
  return bytes.toString("base64");
}

function withLink(text: string, at: number, value: number): string {
  const bytes = Buffer.from(text, "base64");
  bytes.writeInt32LE(value, 4 * at);
  return bytes.toString("base64");
}

function withoutBit(text: string, at: number): string {
  const bytes = Buffer.from(text, "base64");
  bytes[at >> 3] &= ~(1 << (at & 7));
  return bytes.toString("base64");
}

const linkAt = (text: string, at: number): number => Buffer.from(text, "base64").readInt32LE(4 * at);

const floats = (values: readonly number[]): string => Buffer.from(Float64Array.from(values).buffer).toString("base64");

/** A change of the content, written as JSON. */
const changed = (
  name: string,
  code: Hostile["code"],
  says: RegExp,
  change: (proof: ProofJson) => unknown,
): Hostile => ({
  name,
  code,
  says,
  make: (proof) => JSON.stringify(change(proof) ?? proof),
});

/** Bytes that are no proof whatever they are compared with. */
const bytes = (name: string, says: RegExp, text: () => string | Buffer): Hostile => ({
  name,
  code: 2,
  says,
  make: text,
});

/** A text inside the JSON replaced by another one. */
const replaced = (name: string, says: RegExp, from: string | RegExp, to: string): Hostile => ({
  name,
  code: 2,
  says,
  make: (proof) => JSON.stringify(proof).replace(from, to),
});

/** Encodings of NaN: quiet, signalling, with a payload, negative. */
const NANS = ["7ff8000000000000", "7ff0000000000001", "7ff80000deadbeef", "fff8000000000000"].map((digits) =>
  Buffer.from(digits, "hex").readDoubleBE(),
);

const options = (name: string, overrides: Record<string, unknown>, says: RegExp): Hostile =>
  changed(`options: ${name}`, 2, says, (proof) => {
    proof.overrides = overrides;
  });

const estimated = { passes: null, ascent: "bundle", iterations: 12, gap: 0.005 };

/** For an honest proof with cuts and at least two leaves, of an instance with tracks of two links or more. */
export const HOSTILE_PROOFS: readonly Hostile[] = [
  bytes("an empty file", /is no JSON/, () => ""),
  bytes("an image", /zero byte/, () => Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")),
  bytes("no UTF-8", /not UTF-8/, () => Buffer.from("7b22ff22", "hex")),
  bytes("half a file", /is no JSON/, () => '{"format":"rmap-proof-2","stages":[{"v":"AAAA'),
  bytes("a list", /give an object/, () => "[]"),
  bytes("null", /give an object/, () => "null"),
  bytes("lists in lists, unclosed", /nested more than 128 deep/, () => "[".repeat(1_000_000)),
  bytes("objects in objects", /nested more than 128 deep/, () => `${'{"a":'.repeat(200)}1${"}".repeat(200)}`),
  bytes("more lists than memory has room for", /more than 67108864 brackets and commas/, () =>
    Buffer.alloc(2 ** 26 + 10, "[],"),
  ),
  bytes("a text that never ends, of quotes", /is no JSON/, () => `{"${'\\"'.repeat(1_000_000)}`),
  ...["format", "instance", "overrides", "lowerBound", "upperBound", "tracks", "stages", "leaves"].flatMap(
    (key): Hostile[] => [
      changed(`without ${key}`, 2, new RegExp(`${key}: is missing`), (proof) => ({ ...proof, [key]: undefined })),
      changed(`${key} true`, 2, new RegExp(`${key}: is true`), (proof) => ({ ...proof, [key]: true })),
      changed(`${key} null`, 2, new RegExp(`${key}: is null`), (proof) => ({ ...proof, [key]: null })),
    ],
  ),
  changed("a key that is not known", 2, /extra: is not a known key/, (proof) => ({ ...proof, extra: 1 })),
  changed("a key of a megabyte", 2, /is not a known key/, (proof) => ({ ...proof, ["k".repeat(2 ** 20)]: 1 })),
  replaced("__proto__ beside the format", /__proto__/, "{", '{"__proto__":{"valid":true},'),
  replaced("__proto__ in the options", /__proto__/, '"overrides":{', '"overrides":{"__proto__":{"cost":"motion"}'),
  replaced("__proto__ in a stage", /__proto__/, '"stages":[{', '"stages":[{"__proto__":{"below":-1},'),
  replaced(
    "__proto__ as a parameter of the cost",
    /cost-parameter/,
    '"overrides":{',
    '"overrides":{"costParameter":{"__proto__":{"weight":1}}',
  ),
  replaced("a bound beyond f64", /lowerBound/, /"lowerBound":[^,]*/, '"lowerBound":1e999'),
  replaced("a bound as text", /lowerBound/, /"lowerBound":[^,]*/, '"lowerBound":"NaN"'),
  changed("no stage", 2, /stages/, (proof) => ({ ...proof, stages: [] })),
  changed("a million stages of nothing", 2, /stages/, (proof) => ({ ...proof, stages: new Array(1_000_000).fill(0) })),
  changed("another format", 2, /rmap-proof-2/, (proof) => ({ ...proof, format: "rmap-proof-9" })),
  changed("the digest of something else", 2, /other costs/, (proof) => ({
    ...proof,
    instance: createHash("sha256").update("else").digest("hex"),
  })),
  changed("the digest as a long text", 2, /other costs/, (proof) => ({ ...proof, instance: "0".repeat(1_000_000) })),

  options("a cost that is not there", { cost: "nosuch" }, /overrides\.cost: is "nosuch"/),
  options("a cost of Object", { cost: "constructor" }, /overrides\.cost: is "constructor"/),
  options("a file as the cost", { cost: { file: "evil.mjs" } }, /not opened because a proof names it/),
  options(
    "a file as the cost, with more",
    { cost: { file: "evil.mjs", url: "file:///tmp/evil.mjs" } },
    /overrides\.cost/,
  ),
  options("a file with a false digest", { cost: { file: "evil.mjs", sha256: "0" } }, /overrides\.cost/),
  options("formulas", { cost: { pair: "1", triplet: "0" } }, /overrides\.cost/),
  options("links of a file", { links: "/etc/passwd" }, /not opened because a proof names it/),
  options("a cost as an object of a source", { cost: { js: "process.exit(7)" } }, /overrides\.cost/),
  options("a parameter that is no number", { costParameter: { weight: "1" } }, /costParameter/),
  options("a gate of nothing", { gate: { epsilon: 0 } }, /overrides\.gate/),
  options("a gate of two kinds", { gate: { epsilon: 1, radius: 1 } }, /overrides\.gate/),
  options("births of 1e31", { births: { birth: 1e31, death: 0 } }, /overrides\.births/),
  options("a seed of −1", { seed: -1 }, /overrides\.seed: is -1/),
  options("no such option", { nosuch: 1 }, /overrides\.nosuch: is not a known key/),
  options("threads", { threads: 1e9 }, /overrides\.threads: is not a known key/),
  options(
    "iterations without end",
    { estimated: { ...estimated, iterations: 1e9 } },
    /overrides\.estimated\.iterations/,
  ),
  options("an ascent of Object", { estimated: { ...estimated, ascent: "toString" } }, /overrides\.estimated\.ascent/),
  options("half an estimate", { estimated: { passes: 1 } }, /overrides\.estimated/),

  ...NANS.concat(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY).flatMap((value, n): Hostile[] => [
    changed(`v not finite (${n})`, 2, /stages\.0\.v\[2\]: is (NaN|-?Infinity)/, ({ stages: [stage] }) => {
      stage.v = withNumber(stage.v, 2, value);
    }),
    changed(`β not finite (${n})`, 2, /stages\.0\.columnDual\[1\]/, ({ stages: [stage] }) => {
      stage.columnDual = withNumber(stage.columnDual, 1, value);
    }),
    changed(`μ not finite (${n})`, 2, /leaves\.0\.cutMultipliers\[0\]/, ({ leaves: [leaf] }) => {
      leaf.cutMultipliers = withNumber(leaf.cutMultipliers, 0, value);
    }),
  ]),
  changed("μ below 0", 3, /does not hold: leaf 0\b.*-1/, ({ leaves: [leaf] }) => {
    leaf.cutMultipliers = withNumber(leaf.cutMultipliers, 0, -1);
  }),
  changed("multipliers of another instance", 3, /multipliers for/, ({ stages: [stage] }) => {
    stage.v = floats([1, 2, 3]);
  }),
  changed("no multipliers", 3, /multipliers for/, ({ stages: [stage] }) => {
    stage.v = "";
  }),
  changed("duals too many", 3, /duals of/, ({ stages: [stage] }) => {
    stage.columnDual = floats(new Array(10_000).fill(0));
  }),
  changed("a multiplier too few for the cuts", 3, /no multiplier for each cut/, ({ leaves: [leaf] }) => {
    leaf.cutMultipliers = "";
  }),
  changed("half a number", 2, /stages\.0\.v: has \d+ bytes/, ({ stages: [stage] }) => {
    stage.v = Buffer.from(stage.v, "base64").subarray(0, -3).toString("base64");
  }),
  changed("no base64", 2, /stages\.0\.v: is/, ({ stages: [stage] }) => {
    stage.v = `${stage.v.slice(0, -8)}????AAAA`;
  }),
  changed("base64 with a line break", 2, /stages\.0\.v: is/, ({ stages: [stage] }) => {
    stage.v = `\n\n\n\n${stage.v}`;
  }),
  changed("numbers in a list", 2, /stages\.0\.v/, ({ stages: [stage] }) => {
    (stage as { v: unknown }).v = [1, 2, 3];
  }),
  changed("a bound to look below above the tracks", 3, /looks below/, ({ stages: [stage], upperBound }) => {
    stage.below = upperBound + 1;
  }),
  changed("no core where more follows", 3, /stage 0 has no core for what follows/, ({ stages: [stage] }) => {
    delete stage.core;
  }),
  changed(
    "a core without an edge of the tracks",
    3,
    /the core of stage 0 lacks edge/,
    ({ stages: [stage], tracks }) => {
      if (stage.core) stage.core.edges = withoutBit(stage.core.edges, linkAt(tracks, 0));
    },
  ),
  changed("a core of no triplets", 3, /the core of stage 0 lacks triplet/, ({ stages: [stage] }) => {
    if (stage.core)
      stage.core.triplets = Buffer.alloc(Buffer.from(stage.core.triplets, "base64").length).toString("base64");
  }),
  changed("marks of a core for fewer edges", 3, /has \d+ marks for \d+ edges/, ({ stages: [stage] }) => {
    if (stage.core) stage.core.edges = stage.core.edges.slice(4);
  }),
  changed("marks of a core for fewer triplets", 3, /has \d+ marks for \d+ triplets/, ({ stages: [stage] }) => {
    if (stage.core) stage.core.triplets = "";
  }),
  changed("marks of a core as a list", 2, /stages\.0\.core\.edges/, ({ stages: [stage] }) => {
    if (stage.core) (stage.core as { edges: unknown }).edges = [1, 1, 0];
  }),
  changed("a core of half its marks", 2, /stages\.0\.core\.triplets: is missing/, ({ stages: [stage] }) => {
    if (stage.core) delete (stage.core as { triplets?: string }).triplets;
  }),
  changed("a bound to look below as null", 2, /stages\.0\.below/, ({ stages: [stage] }) => {
    (stage as { below: unknown }).below = null;
  }),

  ...[
    [[1e9, -1], 3],
    [[-1, -1], 3],
    [[0, -2], 3],
    [[2 ** 53, -1], 2],
    [[0.5, -1], 2],
    [[0], 2],
    [["0", -1], 2],
    [null, 2],
  ].map(([item, code]) =>
    changed(
      `a cut of the item ${JSON.stringify(item)}`,
      code as 2 | 3,
      code === 2 ? /leaves\.0\.cuts\.0\.items/ : /names no edge/,
      ({ leaves: [leaf] }) => {
        leaf.cuts[0] = { kind: "clique", items: [item as [number, number]] };
      },
    ),
  ),
  changed("a cut twice over one item", 3, /are not in conflict/, ({ leaves: [leaf] }) => {
    leaf.cuts[0] = { kind: "clique", items: [leaf.cuts[0].items[0], leaf.cuts[0].items[0]] };
  }),
  changed("a cut without items", 2, /leaves\.0\.cuts\.0\.items/, ({ leaves: [leaf] }) => {
    leaf.cuts[0].items = [];
  }),
  changed("a cut of another kind", 2, /leaves\.0\.cuts\.0\.kind/, ({ leaves: [leaf] }) => {
    leaf.cuts[0].kind = "toString";
  }),
  changed("an odd hole of two groups", 3, /an odd hole of 2 groups/, ({ leaves: [leaf] }) => {
    leaf.cuts[0] = { kind: "odd-hole", items: leaf.cuts[0].items.slice(0, 2), groups: [1, 1] };
  }),
  changed("groups of more than there is", 3, /groups of/, ({ leaves: [leaf] }) => {
    leaf.cuts[0] = { kind: "odd-hole", items: leaf.cuts[0].items, groups: [2 ** 53 - 1, 1, 1] };
  }),
  changed("a group of −1", 2, /groups/, ({ leaves: [leaf] }) => {
    leaf.cuts[0] = { kind: "odd-hole", items: leaf.cuts[0].items, groups: [-1, 1, 1] };
  }),
  changed("100,000 groups", 3, /groups of/, ({ leaves: [leaf] }) => {
    leaf.cuts[0] = { kind: "odd-hole", items: leaf.cuts[0].items, groups: new Array(100_001).fill(1) };
  }),

  changed("a leaf left out", 3, /no leaf at depth/, ({ leaves }) => {
    leaves.pop();
  }),
  changed("a leaf twice", 3, /do not branch on one edge/, ({ leaves }) => {
    leaves.push(leaves[0]);
  }),
  changed("a leaf that covers everything beside others", 3, /do not branch on one edge/, ({ leaves }) => {
    leaves.push({ ...leaves[0], decisions: [] });
  }),
  changed("one leaf of a million decisions", 3, /no leaf at depth/, (proof) => {
    proof.leaves = [{ ...proof.leaves[0], decisions: Array.from({ length: 1_000_000 }, () => [0, 0]) }];
  }),
  changed("an edge decided that is not there", 3, /decides an edge .*that is not there/, ({ leaves }) => {
    for (const leaf of leaves) leaf.decisions = leaf.decisions.map(([, value]) => [1e9, value]);
  }),
  ...[[-1, 0], [0, 2], [0, -1], [0.5, 1], [0], ["0", 1], null].map((decision) =>
    changed(`a decision ${JSON.stringify(decision)}`, 2, /leaves\.0\.decisions/, ({ leaves: [leaf] }) => {
      leaf.decisions = [decision as [number, number]];
    }),
  ),

  changed("tracks of other detections", 2, /tracks of \d+ detections/, (proof) => {
    proof.tracks = Buffer.from(proof.tracks, "base64").subarray(4).toString("base64");
  }),
  changed("tracks of half a link", 2, /tracks: has \d+ bytes/, (proof) => {
    proof.tracks = Buffer.from(proof.tracks, "base64").subarray(1).toString("base64");
  }),
  ...[-2, 2 ** 31 - 1, -(2 ** 31)].map((link) =>
    changed(`tracks over the link ${link}`, 3, /the tracks are none/, (proof) => {
      proof.tracks = withLink(proof.tracks, 0, link);
    }),
  ),
  changed("tracks that take a link of another detection", 3, /the tracks are none/, (proof) => {
    proof.tracks = withLink(proof.tracks, 0, linkAt(proof.tracks, 1));
  }),
  changed("a bound above the tracks", 3, /proves less than/, (proof) => {
    proof.lowerBound += 0.001 * Math.abs(proof.lowerBound);
  }),
  changed("a bound of 1e308", 3, /proves less than/, (proof) => {
    proof.lowerBound = 1e308;
  }),
  changed("tracks said to be cheaper", 3, /names another cost of the tracks/, (proof) => {
    proof.upperBound *= 0.999;
    proof.lowerBound *= 0.999;
  }),
];

/** Numbers at which f64 rounds, overflows, or ends. */
const EXTREMES = [1e308, -1e308, 1e300, 1e16, -1e9, 5e-324, 2 ** -1022, -0, Number.NaN, Number.POSITIVE_INFINITY];

/** The text of an honest proof with one to three random changes: of bits, numbers, lists, or characters of the JSON. */
export function shaken(name: string, random: { next(): number }): string {
  const { proof } = honest(name);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)];
  const below = (count: number): number => Math.floor(random.next() * count);
  const parts = [...proof.stages, ...proof.leaves];
  const changes: (() => void)[] = [
    () => {
      const [part, key] = [pick(parts), pick(["v", "columnDual", "cutMultipliers"] as const)];
      const bytes = Buffer.from(part[key], "base64");
      if (bytes.length > 0) bytes[below(bytes.length)] ^= 1 << below(8);
      part[key] = bytes.toString("base64");
    },
    () => {
      const [part, key] = [pick(parts), pick(["v", "columnDual", "cutMultipliers"] as const)];
      const count = Buffer.from(part[key], "base64").length / 8;
      if (count > 0) part[key] = withNumber(part[key], below(count), pick(EXTREMES));
    },
    () => {
      const [part, key] = [pick(parts), pick(["v", "columnDual", "cutMultipliers"] as const)];
      const factor = pick([0, -1, 2, 0.5, 1e3, 1e150]);
      const bytes = Buffer.from(part[key], "base64");
      const values = Array.from({ length: bytes.length / 8 }, (_, n) => factor * bytes.readDoubleLE(8 * n));
      part[key] = floats(values);
    },
    () => {
      const [one, other, key] = [
        pick(parts),
        pick(parts),
        pick(["v", "columnDual", "cuts", "cutMultipliers"] as const),
      ];
      (one as unknown as Record<string, unknown>)[key] = other[key];
    },
    () => {
      const part = pick(parts);
      const items = Array.from({ length: 1 + below(5) }, (): [number, number] => [below(500), below(500) - 1]);
      part.cuts.push({ kind: pick(["clique", "odd-hole"]), items });
      part.cutMultipliers = floats([...new Array(part.cuts.length - 1).fill(0.1), 1]);
    },
    () => {
      const { cuts } = pick(parts);
      if (cuts.length > 0) pick(cuts).items[0] = [below(500), below(500) - 1];
    },
    () => {
      const { core } = pick(proof.stages);
      if (core === undefined) return;
      const key = pick(["edges", "triplets"] as const);
      const bytes = Buffer.from(core[key], "base64");
      if (bytes.length > 0) bytes[below(bytes.length)] ^= pick([1 << below(8), 255]);
      core[key] = bytes.toString("base64");
    },
    () => {
      pick(proof.stages).below = proof.upperBound * pick([0.5, 0.99, 1, 1.01, 1e300]);
    },
    () => {
      if (proof.leaves.length === 0) return;
      const leaf = pick(proof.leaves);
      const change = pick(["drop", "repeat", "flip", "deepen", "swap"]);
      if (change === "drop") proof.leaves.splice(below(proof.leaves.length), 1);
      else if (change === "repeat") proof.leaves.push(leaf);
      else if (change === "deepen") leaf.decisions.push([below(500), pick([0, 1])]);
      else if (change === "swap") leaf.decisions.reverse();
      else if (leaf.decisions.length > 0) leaf.decisions[0][1] = 1 - leaf.decisions[0][1];
    },
    () => {
      proof.tracks = withLink(proof.tracks, below(20), below(500) - 1);
    },
    () => {
      if (proof.stages.length > 1) proof.stages.splice(below(proof.stages.length), 1);
      else proof.stages.push(proof.stages[0]);
    },
  ];
  for (let count = 1 + below(3); count > 0; count--) pick(changes)();
  const text = JSON.stringify(proof);
  if (random.next() > 0.1) return text;
  const at = below(text.length);
  return text.slice(0, at) + pick(["", "9", "-", "null", "[", "1e999", '"']) + text.slice(at + 1);
}
