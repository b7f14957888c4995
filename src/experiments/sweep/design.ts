import { randomStreams } from "../../core/random.js";
import { refuse } from "../../files/refusal.js";
import { type Distribution, type Json, mostRuns, type SweepFile } from "./file.js";

/** One field of a scenario set to a value; `path` is its place in the sweep file. */
export interface Setting {
  readonly field: string;
  readonly value: Json;
  readonly path: readonly PropertyKey[];
}

/** The fields that one run sets in the base scenario. */
export type DesignPoint = readonly Setting[];

/**
 * The points of a sweep's design in a fixed order: every combination of the grid's values with the last field moving fastest, or
 * every sample; each with every seed, in turn. A sample depends on the design's seed, its number and the order of the fields
 * alone: more samples leave the first ones as they are.
 */
export function designPoints(sweep: SweepFile): DesignPoint[] {
  const axes: Setting[][] = Object.entries(sweep.grid ?? {}).map(([field, values]) =>
    values.map((value, n) => ({ field, value, path: ["grid", field, n] })),
  );
  const seeds = seedSettings(sweep);
  const points = sweep.random === undefined ? [axes] : sampleAxes(sweep.random);
  const runs = points.reduce((sum, each) => sum + product(each) * Math.max(1, seeds.length), 0);
  if (runs > mostRuns) refuse(sweep.file, `makes ${runs} runs, more than ${mostRuns}`, "split it, or vary less");
  return points.flatMap((each) => combinations(seeds.length > 0 ? [...each, seeds] : each));
}

function seedSettings({ seeds }: SweepFile): Setting[] {
  if (seeds === undefined) return [];
  if (Array.isArray(seeds)) return seeds.map((value, n) => ({ field: "seed", value, path: ["seeds", n] }));
  const { from, count } = seeds;
  return Array.from({ length: count }, (_, n) => ({ field: "seed", value: from + n, path: ["seeds"] }));
}

const product = (axes: readonly Setting[][]): number => axes.reduce((total, { length }) => total * length, 1);

function combinations(axes: readonly Setting[][]): DesignPoint[] {
  return axes.reduce<DesignPoint[]>(
    (points, axis) => points.flatMap((point) => axis.map((setting) => [...point, setting])),
    [[]],
  );
}

/** One value an axis, for each sample. */
function sampleAxes({ samples, seed, over }: NonNullable<SweepFile["random"]>): Setting[][][] {
  const { value: stream } = randomStreams(seed).next();
  const fields = Object.entries(over);
  return Array.from({ length: samples }, () =>
    fields.map(([field, distribution]) => [
      { field, value: draw(distribution, stream.uniform(0, 1)), path: ["random", "over", field] },
    ]),
  );
}

/** The distribution's value at the quantile `u` in [0, 1). */
function draw(distribution: Distribution, u: number): Json {
  if ("choice" in distribution) return distribution.choice[Math.floor(u * distribution.choice.length)];
  if ("integer" in distribution) {
    const [low, high] = distribution.integer;
    return low + Math.floor(u * (high - low + 1));
  }
  if ("logUniform" in distribution) {
    const [low, high] = distribution.logUniform.map(Math.log);
    return Math.exp(low + u * (high - low));
  }
  const [low, high] = distribution.uniform;
  return low + u * (high - low);
}
