import { sharedCopy } from "../../core/shared-arrays.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { type LinkCover, linkCover } from "./cover.js";
import { type Graph, type Surcharge, tripletCost } from "./instance.js";

type Uncapped = Omit<Graph, "surcharge" | "exclusions" | "motherOf">;

/**
 * Births and deaths may cost more than links, triplets and cheaper births and deaths could ever save. They are computed with at a cost that
 * is still beyond that saving, so that a cost of 1e20 does not round away the costs that decide (docs/explanation/mathematics.md §1.1 proves that no optimum changes).
 *
 * Replaces such entries of `cost` and returns the stated costs; null, with `cost` untouched, where nothing is beyond any saving or where
 * the proof does not hold.
 */
export function capBeyondSaving(graph: Uncapped): Surcharge | null {
  const { links, edges, cost } = graph;
  if (edges === links) return null;
  // Triplets of a user's function may cost less than 0, by an amount that nothing tells before all are computed.
  if (graph.triplets.kind === "implicit" && typeof graph.triplets.rule !== "string") return null;
  const ends = endsOf(graph);
  if (allHarmless(graph, ends)) return null;
  const covers = Array.from({ length: graph.frames - 1 }, (_, p) => linkCover(graph, p));
  const { least, most, known } = costsOfLinks(graph, covers);
  // Far more than the rounding of these sums.
  const linked = (Math.min(most, known) - least) * (1 + 2 ** -20);
  const shift = commonShift(ends, linked);
  const shifted: Ends = {
    death: ends.death.map((value) => value + shift),
    birth: ends.birth.map((value) => value - shift),
  };

  const cap = firstBeyond(shifted, linked);
  if (cap !== null && !keepsOptima(graph, known < Infinity ? covers : null, shifted, cap)) return null;
  if (cap === null && shift === 0) return null;
  const stated = sharedCopy(cost);
  const { deathOf, birthOf } = graph;
  const capped = (value: number): number => (cap === null ? value : Math.min(value, cap));
  deathOf.forEach((e, d) => {
    if (e !== UNASSIGNED) cost[e] = capped(shifted.death[d]);
  });
  birthOf.forEach((e, d) => {
    if (e !== UNASSIGNED) cost[e] = capped(shifted.birth[d - graph.frameStart[1]]);
  });
  return { stated, shift };
}

/** Costs of the deaths of all frames but the last, and of the births of all but the first, in order of the detections. */
interface Ends {
  readonly death: Float64Array;
  readonly birth: Float64Array;
}

function endsOf({ frames, frameStart, deathOf, birthOf, cost }: Uncapped): Ends {
  return {
    death: Float64Array.from(deathOf.subarray(0, frameStart[frames - 1]), (e) => cost[e]),
    birth: Float64Array.from(birthOf.subarray(frameStart[1]), (e) => cost[e]),
  };
}

/** Births and deaths up to this multiple of the links' least cost leave enough digits of it. */
const HARMLESS = 128;

/** Whether nothing needs to be capped, as is so nearly always. */
function allHarmless({ frames, frameStart, linkStart, linkEnd, cost }: Uncapped, { death, birth }: Ends): boolean {
  let sum = 0;
  let maxCost = 0;
  for (let i = 0; i < frameStart[frames - 1]; i++) {
    let least = Number.POSITIVE_INFINITY;
    for (let e = linkStart[i]; e < linkEnd[i]; e++) {
      least = Math.min(least, Math.abs(cost[e]));
      maxCost = Math.max(maxCost, Math.abs(cost[e]));
    }
    if (least < Infinity) sum += least;
  }
  const harmless = (value: number): boolean => Math.abs(value) <= HARMLESS * (sum + maxCost);
  return death.every(harmless) && birth.every(harmless);
}

/** The cost of links and triplets together: its least and greatest value over all sets of tracks, and that of `known`. */
interface LinkCosts {
  readonly least: number;
  readonly most: number;
  /** A set of tracks with as few births and deaths in every frame pair as its links allow; Infinity where its triplets are forbidden. */
  readonly known: number;
}

function costsOfLinks(graph: Uncapped, covers: readonly LinkCover[]): LinkCosts {
  const { frames, frameStart, edges, linkStart, linkEnd, cost, tail, head, triplets } = graph;
  const lastFrame = frameStart[frames - 1];
  const [least, most] = [new Float64Array(frameStart[frames]), new Float64Array(frameStart[frames])];
  const widen = (d: number, values: Float64Array, from: number, to: number): void => {
    for (let k = from; k < to; k++) {
      least[d] = Math.min(least[d], values[k]);
      most[d] = Math.max(most[d], values[k]);
    }
  };
  const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
  for (let d = 0; d < lastFrame; d++) widen(d, cost, linkStart[d], linkEnd[d]);
  const sums = [total(least), total(most)];
  if (triplets.kind === "csr") {
    for (const values of [least, most]) values.fill(0);
    for (let e = 0; e < edges; e++) {
      if (tail[e] !== UNASSIGNED) widen(head[e], triplets.cost, triplets.rowStart[e], triplets.rowStart[e + 1]);
    }
    sums[0] += total(least);
    sums[1] += total(most);
  }

  let known = 0;
  const into = new Int32Array(frameStart[frames]).fill(UNASSIGNED);
  covers.forEach(({ headOf }, p) => {
    headOf.forEach((j, row) => {
      if (j === UNASSIGNED) return;
      const i = frameStart[p] + row;
      let e = linkStart[i];
      while (head[e] !== j) e++;
      known += cost[e];
      if (into[i] !== UNASSIGNED) known += tripletCost(graph, into[i], e);
      into[j] = e;
    });
  });
  // Triplets of a named rule cost 0 or more and none is forbidden, so that `known` is there.
  return { least: sums[0], most: triplets.kind === "csr" ? sums[1] : Number.POSITIVE_INFINITY, known };
}

/**
 * κ: in a frame pair births are as many more than deaths as its second frame has more detections, so a κ taken off every birth and put on
 * every death changes all sets of tracks alike. It is used where births and deaths are huge and of opposite signs, and nothing is rounded.
 */
function commonShift({ death: deaths, birth: births }: Ends, linked: number): number {
  if (deaths.length === 0 || births.length === 0) return 0;
  const [leastDeath, mostDeath] = rangeOf(deaths);
  const [leastBirth, mostBirth] = rangeOf(births);
  const opposite = (leastBirth > 2 * linked && mostDeath < 0) || (leastDeath > 2 * linked && mostBirth < 0);
  const exact =
    births.every((value) => isExact(value, -leastBirth)) && deaths.every((value) => isExact(value, leastBirth));
  return opposite && exact ? leastBirth : 0;
}

/** Whether a + b is an f64 (the error of the sum after Knuth). */
function isExact(a: number, b: number): boolean {
  const sum = a + b;
  const ofB = sum - a;
  return a - (sum - ofB) + (b - ofB) === 0;
}

function rangeOf(values: Float64Array): readonly [number, number] {
  return values.reduce<[number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

/**
 * A power of two, at least twice what links, triplets and the births and deaths not above it can differ by; null where no birth or
 * death is above it.
 */
function firstBeyond({ death, birth }: Ends, linked: number): number | null {
  if (!(linked > 0)) return null;
  let within = linked;
  const sorted = new Float64Array(death.length + birth.length);
  sorted.set(death);
  sorted.set(birth, death.length);
  for (const value of sorted.sort()) {
    const cap = 2 ** Math.ceil(Math.log2(2 * within));
    if (!(cap < Number.POSITIVE_INFINITY)) return null;
    if (value > cap) return cap;
    within += Math.abs(value);
  }
  return null;
}

/**
 * The two cases of the proof. Either deaths, births or both are capped throughout, each kind of one cost. Or the largest matchings
 * (`covers`, null where their triplets are forbidden) need no capped birth or death.
 */
function keepsOptima(
  { frameStart }: Uncapped,
  covers: readonly LinkCover[] | null,
  { death, birth }: Ends,
  cap: number,
): boolean {
  const beyond = (values: Float64Array) => values.filter((value) => value > cap);
  const throughout = (all: Float64Array): boolean => {
    const values = beyond(all);
    return values.length === 0 || (values.length === all.length && values.every((value) => value === values[0]));
  };
  if (throughout(death) && throughout(birth)) return true;
  if (covers === null) return false;
  return covers.every(({ tails, heads }, p) => {
    const [rows, columns, end] = [frameStart[p], frameStart[p + 1], frameStart[p + 2]];
    if (rows === end) return true;
    const linked = tails.size + heads.size;
    const bornBeyond = beyond(birth.subarray(columns - frameStart[1], end - frameStart[1]));
    const needsDeath = linked < columns - rows && beyond(death.subarray(rows, columns)).length > 0;
    return !needsDeath && (linked === end - columns || bornBeyond.length === 0);
  });
}
