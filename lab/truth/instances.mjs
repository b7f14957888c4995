/** The seeded instances of the truth table: five kinds, four sizes each, small enough for HiGHS to solve to the end. */

import { priceDetections } from "rmap/costs";
import { simulate } from "rmap/simulation";
import { randomStreams } from "../../dist/core/random.js";
import { simulateAuthorsGenerator } from "../../dist/simulation/authors-generator.js";
import { uniformProblem } from "../../dist/simulation/uniform.js";

/** The simulation of design §4 with the paper's spline cost. */
const tracking = (targets, frames, spread, sigma) => ({
  targets,
  frames,
  spread,
  noise: { position: sigma, velocity: 0 },
});

const priced = (detections, birthDeath) =>
  priceDetections(detections, { cost: "spline", gate: { epsilon: 5 }, birthDeath }, { threads: 1 });

/** Detections of which a share is lost, independently. */
function thinned(detections, lost, seed) {
  const random = randomStreams(seed).next().value;
  const kept = Array.from(detections.x.keys()).filter(() => random.uniform(0, 1) >= lost);
  const frameStart = detections.frameStart.map((start) => kept.filter((d) => d < start).length);
  const pick = (values) => Float64Array.from(kept, (d) => values[d]);
  const { x, y, vx, vy } = detections;
  return { ...detections, frameStart, x: pick(x), y: pick(y), vx: pick(vx), vy: pick(vy), target: null };
}

/** What each kind is, its sizes [targets, frames], and the problem of one seed. */
export const KINDS = {
  easy: {
    what: "simulated, the paths start anywhere in a square of 20 × 20, σ = 0.1",
    sizes: [
      [10, 6],
      [15, 8],
      [20, 5],
      [20, 10],
    ],
    problem: (n, t, seed) => priced(simulate(tracking(n, t, 20, 0.1), seed), "none"),
  },
  crowded: {
    what: "simulated, every target starts in one spot, σ = 0.3",
    sizes: [
      [8, 6],
      [12, 8],
      [16, 8],
      [20, 10],
    ],
    problem: (n, t, seed) => priced(simulate(tracking(n, t, 0, 0.3), seed), "none"),
  },
  lossy: {
    what: "as crowded, but 15 % of the detections are lost, and births and deaths are priced from the costs",
    sizes: [
      [8, 6],
      [12, 8],
      [16, 8],
      [20, 10],
    ],
    problem: (n, t, seed) => priced(thinned(simulate(tracking(n, t, 0, 0.3), seed), 0.15, seed), "auto"),
  },
  authors: {
    what: "the generator of the paper's authors, dense costs without geometry",
    sizes: [
      [8, 8],
      [12, 10],
      [16, 8],
      [20, 10],
    ],
    problem: (n, t, seed) => simulateAuthorsGenerator(n, t, seed),
  },
  uniform: {
    what: "all costs are uniform on [0, 1), dense and without any structure",
    sizes: [
      [5, 8],
      [6, 6],
      [8, 5],
      [12, 3],
    ],
    problem: (n, t, seed) => uniformProblem(n, t, seed),
  },
};
