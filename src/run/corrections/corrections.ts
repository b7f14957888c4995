import { frameOfDetections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { brokenLink, type Correction, type FixedLinks, FixedLinksBuilder } from "../../core/fixed-links.js";
import { COUNTED } from "../../core/frame-numbers.js";
import { picked } from "../../core/growing-array.js";
import { requirePins } from "../../formats/candidate-graph.js";
import type { TrackMargins } from "../../formats/tracks.js";
import { relativeGap } from "../../map/certificate/gap.js";
import { DEFAULT_ASCENT } from "../../map/dual/ascents.js";
import { createCpuSteps } from "../../map/dual/cpu-steps.js";
import { nearbyOf } from "../../map/exact/nearby.js";
import { buildGraph } from "../../map/instance/build.js";
import { fromFileOrder, toFileOrder } from "../../map/instance/edges.js";
import { narrowed } from "../../map/instance/narrowed.js";
import { numberTracks } from "../../map/primal/tracks.js";
import type { SolvedTracks } from "../../map/solution.js";
import { solve } from "../../map/solve.js";
import { tracksOfInput } from "../estimate-costs.js";
import { lineageOf, type Parents } from "../lineage.js";
import { trackMargins } from "../margins.js";
import type { Problem } from "../problem.js";
import { EXACT_LIMITS, type Run, SOLVE_DEFAULTS } from "../run.js";
import { differences, type InputLink, marginsWithin, withNumbersOf } from "./answer.js";
import { narrowingBy } from "./narrowing.js";
import {
  edgeOfFile,
  edgesOf,
  type Found,
  isPart,
  type KnownStand,
  type Pricing,
  pricingOf,
  remember,
} from "./pricing.js";
import { withLinks } from "./with-links.js";

/** The answer that keeps to all corrections. */
export interface Corrected {
  /** Track of each detection. One that begins at the same detection as before keeps its number. */
  readonly track: Int32Array;
  readonly parents: Parents;
  /** Infinity for a required link. */
  readonly margins: TrackMargins | null;
  readonly status: SolvedTracks["status"];
  /** Certified: no tracks that keep to the corrections cost less. */
  readonly lowerBound: number;
  readonly upperBound: number;
  readonly gap: number;
  /** The links of the answer before that this one does not have, and those that it has in their place, as [from, to]. */
  readonly gone: readonly InputLink[];
  readonly added: readonly InputLink[];
  /** Whether all of the problem was solved, and not a part in which the cheapest tracks are proved to be. */
  readonly whole: boolean;
}

const UNCHANGED = { gone: [], added: [], whole: false } as const;

/** The answer where further corrections say what it has: it is the best of fewer, and what it and its margins are compared with keeps to them or is gone. */
function confirmed(answer: Corrected, fixed: FixedLinks): Corrected {
  const { margins } = answer;
  return { ...answer, margins: margins && marginsWithin(margins, Number.POSITIVE_INFINITY, fixed), ...UNCHANGED };
}

/** Share of what tracks in a part may cost more than its own that has to be left, since margins end there. */
const LEFT = 0.25;

/**
 * Corrections of a solved recording, each solved at once from where the ascent stood, in the costs of the solve. Tracks that cost little more are proved to use a part of
 * the links, in which a correction is solved first; where tracks outside could be cheaper, all of the problem is.
 */
export class Corrections {
  readonly #frame: Uint32Array;
  readonly #pricings: Pricing[];
  readonly #pins: Problem["pins"];
  readonly #limits: { readonly gap: number; readonly difference: number; readonly closing: boolean };
  #last: Corrected;
  /** What it keeps to. */
  #list: readonly Correction[] = [];

  /** @throws InputError where the run has no tracks, or its costs of starts and ends are beyond any saving */
  constructor(
    { problem, run }: { readonly problem: Problem; readonly run: Run },
    private readonly options: { readonly now: () => number },
  ) {
    const { solution, track, parents, margins, priced, motion, graph, result } = run;
    if (track === null || solution.tracks === null)
      throw new InputError("corrections: the solve has no tracks; give it more time");
    if (graph.surcharge !== null)
      throw new InputError("corrections: births and deaths cost more than any link can save; state lower ones");
    this.#pins = problem.pins;
    this.#frame = Uint32Array.from(frameOfDetections(run.frameStart));
    const { status, lowerBound, upperBound, gap } = solution;
    this.#last = { track, parents, margins, status, lowerBound, upperBound, gap, ...UNCHANGED };
    const { gapPercent, nats = 0 } = result.stop ?? { gapPercent: 0 };
    this.#limits = {
      gap: Math.max(gapPercent / 100, solution.gap),
      difference: Math.max(nats, solution.upperBound - solution.lowerBound),
      closing: solution.status === "optimal",
    };
    this.#pricings = [pricingOf(priced, motion, new Float64Array(edgesOf(priced)), [])];
    const [pricing] = this.#pricings;
    const stage = solution.proof?.stages[0];
    if (stage === undefined || graph.links !== priced.links.tail.length) return;
    pricing.v = toFileOrder(graph, stage.v);
    const nearby = nearbyOf(graph, solution.tracks, stage);
    if (nearby !== null) pricing.stands.push({ ...pricing.stands[0], nearby, cost: solution.upperBound });
  }

  /**
   * The answer that keeps to all of these corrections; what was corrected before and is not among them is undone.
   * @throws InputError where corrections contradict each other, or no tracks keep to them
   */
  async correct(list: readonly Correction[]): Promise<Corrected> {
    const fixed = this.#fix(list);
    const isKept = isPart(this.#list, list) && brokenLink(fixed, this.#last.track) === null;
    this.#last = isKept ? confirmed(this.#last, fixed) : await this.#solve(list, fixed, true);
    this.#list = list.slice();
    return this.#last;
  }

  /** What the best answer would be without a link, as the answer before has it. */
  async instead(list: readonly Correction[], { from, to }: Pick<Correction, "from" | "to">): Promise<Corrected> {
    const without = [...list, { kind: "forbidden", from, to }] as const;
    return await this.#solve(without, this.#fix(without), false);
  }

  async #solve(list: readonly Correction[], fixed: FixedLinks, keeps: boolean): Promise<Corrected> {
    const pricing = this.#pricingFor(list, fixed);
    for (const stand of pricing.stands.filter(({ kept }) => isPart(kept, list)).reverse()) {
      const found = await this.#solveAt(stand, pricing, fixed);
      if (found === null) continue;
      if (keeps) remember(pricing, stand, found, list);
      return this.#answer(pricing, fixed, found, stand.nearby === null);
    }
    throw new InputError("corrections: no tracks were found that keep to all of them; undo one");
  }

  #fix(list: readonly Correction[]): FixedLinks {
    const links = new FixedLinksBuilder(this.#frame.length);
    const seen = new Map<string, Correction["kind"]>();
    for (const { kind, from, to } of list) {
      const [p, q] = [this.#frame[from], this.#frame[to]];
      const name = `corrections: the link from detection ${from} to ${to}`;
      if (p === undefined || q === undefined || q <= p)
        throw new InputError(`${name} does not lead to a later frame; name detections of the input`);
      const before = seen.get(`${from} ${to}`);
      if (before !== undefined) throw new InputError(`${name} is ${before} already; undo one of them`);
      seen.set(`${from} ${to}`, kind);
      if (kind === "forbidden") links.forbid(from, to);
      else {
        const refused = links.require(from, to, q - p);
        if (refused !== null) throw new InputError(`${name}: its ${refused.end} ${refused.problem}: ${refused.remedy}`);
      }
    }
    return links.build();
  }

  /** The latest pricing that has all required links; a new one, with them as candidates, where none has. */
  #pricingFor(list: readonly Correction[], fixed: FixedLinks): Pricing {
    const [first] = this.#pricings;
    const { index } = first.stands[0];
    const isLink = ({ places, stands }: Pricing, i: number, j: number): boolean =>
      places.chain(i, j).every((ends) => stands[0].index.find(ends) >= 0);
    const required = list.filter(({ kind }) => kind === "required");
    const known = this.#pricings.filter(
      (pricing) => isPart(pricing.kept, list) && required.every(({ from, to }) => isLink(pricing, from, to)),
    );
    if (known.length > 0) return known[known.length - 1];
    if (first.motion === null) {
      const missing = required.find(({ from, to }) => index.find(first.places.chain(from, to)[0]) < 0);
      throw new InputError(
        `corrections: the problem has no link from detection ${missing?.from} to ${missing?.to}; widen its gate, or add the edge`,
      );
    }
    const motion = withLinks(first.motion, fixed, first.v);
    const pricing = pricingOf(motion.priced, motion, motion.begin ?? new Float64Array(edgesOf(motion.priced)), list);
    this.#pricings.splice(1, 1, pricing);
    return pricing;
  }

  /** null where no tracks were found, or tracks outside the part could be cheaper. */
  async #solveAt(
    stand: KnownStand,
    { places, motion, dearerBy, v }: Pricing,
    fixed: FixedLinks,
  ): Promise<Found | null> {
    const narrowing = narrowingBy(stand, fixed, places, motion, dearerBy);
    if (narrowing === null) return null;
    const { problem, linkOf } = narrowed(stand.problem, narrowing);
    const { graph } = buildGraph(problem, COUNTED, { cap: false });
    // Links that lie on no complete track are dropped where tracks may not start and end.
    const initialMultipliers =
      graph.links === linkOf.length ? fromFileOrder(graph, picked(v, edgeOfFile(stand, linkOf, v))) : null;
    const { now } = this.options;
    const steps = createCpuSteps(graph, { threads: 1, now });
    const solution = await solve(graph, steps, {
      ascent: DEFAULT_ASCENT,
      initialMultipliers,
      iterations: SOLVE_DEFAULTS.iterations,
      ...this.#limits,
      time: Number.POSITIVE_INFINITY,
      exact: { load: async () => null, patient: true, ...EXACT_LIMITS.cuts },
      margins: true,
      now,
    }).finally(() => steps.close());
    if (solution.tracks === null) return null;
    const { below } = narrowing;
    if (stand.nearby !== null && !(below - solution.upperBound >= LEFT * (stand.nearby.below - stand.cost)))
      return null;
    return { solution, graph, narrowing, problem, linkOf };
  }

  #answer(
    { places, motion }: Pricing,
    fixed: FixedLinks,
    { solution, graph, narrowing: { below } }: Found,
    whole: boolean,
  ): Corrected {
    const lineage = lineageOf(graph, solution, places.origin);
    const numbered = lineage?.track ?? numberTracks(graph, solution.tracks);
    const track = lineage === null && motion !== null ? tracksOfInput(motion, numbered) : numbered;
    const parents: Parents = lineage?.parents ?? new Map();
    if (this.#pins !== undefined) requirePins(this.#pins, { track, parent: parents }, false);
    if (brokenLink(fixed, track) !== null)
      throw new InputError("corrections: no tracks were found that keep to all of them; undo one");
    const margins = trackMargins(graph, lineage?.solution ?? solution, (lineage ?? motion?.priced)?.origin ?? null);
    const { upperBound } = solution;
    const lowerBound = Math.min(solution.lowerBound, below);
    const gap = relativeGap(lowerBound, upperBound);
    const renamed = withNumbersOf(this.#last.track, { track, parents });
    return {
      ...renamed,
      margins: margins && marginsWithin(margins, below - upperBound, fixed),
      status: solution.status,
      ...{ lowerBound, upperBound, gap },
      ...differences(this.#last, renamed),
      whole,
    };
  }
}
