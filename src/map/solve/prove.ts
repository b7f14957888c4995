import { priceTracks } from "../certificate/price-tracks.js";
import { goBeyond } from "../exact/beyond-ascent.js";
import type { BeyondOutcome } from "../exact/beyond-options.js";
import type { Margins } from "../exact/margins.js";
import { workOfAscent } from "../exact/patience.js";
import type { Tracks } from "../primal/feasible.js";
import type { Basis } from "../proof/check.js";
import type { Stage } from "../proof/proof.js";
import type { SolveOptions } from "../solution.js";
import { BestProof, type KnownBound } from "./best-proof.js";
import { proofBy } from "./bounds.js";
import type { SolveRun } from "./solve-run.js";
import type { StopRules } from "./stop-rules.js";

/** Bound, proof and margins of the best tracks in the end. */
export interface Proved extends KnownBound {
  /** The bound is that of multipliers without cuts, and no elimination, core or leaf adds to it. */
  readonly alone: boolean;
  readonly margins: Margins | null;
  /** Of the last examination; undefined where there was none. */
  readonly basis: Basis | undefined;
  readonly exact: BeyondOutcome | null;
}

/** Certifies the multipliers, eliminates, and goes on with an exact solve where one is asked for and the bounds are not close enough. */
export async function prove(run: SolveRun, stop: StopRules): Promise<Proved> {
  const { graph, best, bounds, options } = run;
  run.tellLikely();
  await run.timed("certificate", () => bounds.certify());
  const proof = new BestProof(run);
  const { lifted } = bounds;
  const marginsWanted = options.margins === true && graph.surcharge === null;
  let examined = await proof.examine(null, null, options.exact === undefined || stop.closed());
  await proof.takeUp(lifted);
  let exact: BeyondOutcome | null = null;
  if (best.tracks !== null) {
    bounds.lifted = null;
    bounds.ascent = proof.known.bound;
    // Where births and deaths are not computed with as stated, the cheapest tracks are those of other costs.
    const wanted = options.exact !== undefined && (options.exact.always || !run.stopped) && !stop.closed();
    const stage = bounds.proofOfBest()?.stage ?? proof.known.proof?.stages[0];
    if (wanted && graph.surcharge === null && stage !== undefined) {
      const before = { bound: proof.known.bound, tracks: best.tracks, stage };
      exact = await run.timed("exact", () => solveBeyond(run, stage, before.tracks));
      if (exact !== null) {
        adoptTracks(run, exact);
        proof.known = proof.certificate;
        proof.offer(exact.lowerBound, exact.proof);
        const { below, core: _, ...whole } = exact.proof.stages[0];
        // A core of what costs less than a bound is not cut by elimination.
        examined = await proof.examine(whole, below === undefined ? exact.proof : null);
        await proof.takeUp(before);
      }
    }
  }
  const margins =
    marginsWanted && examined !== null
      ? await run.timed("elimination", async () =>
          bounds.marginThreads > 1 ? examined.marginsOnThreads(bounds.marginThreads) : examined.margins(),
        )
      : null;
  const common = { margins, basis: examined ?? undefined, exact };
  const ofBest = bounds.proofOfBest();
  // A proof that the tracks are optimal goes before another one of a higher bound, which may differ from it by rounding.
  if (exact?.optimal === true) return { bound: exact.lowerBound, proof: exact.proof, alone: false, ...common };
  if (ofBest !== null) return { bound: ofBest.bound, proof: proofBy(ofBest.stage), alone: false, ...common };
  return { ...proof.known, alone: proof.known === proof.certificate, ...common };
}

function adoptTracks(run: SolveRun, { tracks, outcome }: BeyondOutcome): void {
  const priced = priceTracks(run.graph, tracks);
  if (priced.status === "feasible") run.best.adopt(tracks, priced);
  if (outcome === "time") run.stopped = true;
}

async function solveBeyond(run: SolveRun, stage: Stage, tracks: Tracks): Promise<BeyondOutcome | null> {
  const { graph, bounds, options } = run;
  const { progress, load, regions, mostTriplets, mostLeaves, patient } = options.exact as NonNullable<
    SolveOptions["exact"]
  >;
  const certified = bounds.ascent;
  const outcome = await goBeyond(graph, stage, tracks, {
    load,
    regions,
    mostTriplets,
    mostLeaves,
    isSmall: run.isSmall,
    iterations: options.iterations,
    gap: options.gap,
    now: options.now,
    time: options.time - run.seconds(),
    spent: run.seconds(),
    ...(patient === true && { vain: workOfAscent(graph, run.iterations) }),
    ...(options.interrupted && { interrupted: options.interrupted }),
    ...(options.pause && { pause: options.pause }),
    progress(state) {
      progress?.(state);
      bounds.ascent = Math.max(bounds.ascent, state.lowerBound);
      run.record();
    },
  });
  // Bounds reported on the way are cut to the bound that was certified.
  bounds.ascent = certified;
  return outcome;
}
