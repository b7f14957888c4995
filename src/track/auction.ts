/** The auction of src/lap/auction as an association: tracks are its persons, and measurements its objects. */
import { invariant } from "../core/errors.js";
import { certifyAuction } from "../lap/auction/certificate.js";
import type { Scene } from "../lap/auction/fixed-point.js";
import { forwardAuction } from "../lap/auction/forward.js";
import type { AuctionProblem } from "../lap/auction/problem.js";
import { answerOfSides, problemOfSides, sidesOf } from "../lap/auction/sides.js";
import type { Association, Associator } from "./associate.js";
import { Exact } from "./exact.js";
import type { GatedFrame } from "./gate.js";

/** The auction over the list of candidates in f64, in which the smaller side of each component bids, certified from its prices in every frame. */
export class Auction implements Associator {
  readonly name = "auction";
  readonly ran = "cpu f64";
  readonly #exact = new Exact();

  /** @param share ε, of d_max */
  constructor(
    readonly share: number,
    readonly mostRounds: number,
  ) {}

  associate(frame: GatedFrame): Association {
    const problem = auctionOf(frame);
    const epsilon = this.share * frame.reach;
    const sides = sidesOf(problem);
    const answer = forwardAuction(problemOfSides(sides, problem), { epsilon, mostRounds: this.mostRounds });
    const { rounds } = answer;
    if (answer.status === "capped") return { ...this.#exact.associate(frame), rounds, capped: true };
    const { objectOfPerson, price } = answerOfSides(sides, problem, answer);
    requireWithin(problem, objectOfPerson, price, epsilon);
    return { measurementOfTrack: objectOfPerson, rounds };
  }

  async close(): Promise<void> {}
}

/** The frame as a problem of persons and objects. */
export function auctionOf(frame: GatedFrame): Scene {
  return {
    persons: frame.tracks,
    objects: frame.measurements,
    rowStart: frame.rowStart,
    object: frame.measurement,
    utility: frame.utility,
    reach: frame.reach,
    personX: frame.trackX,
    personY: frame.trackY,
    objectX: frame.measurementX,
    objectY: frame.measurementY,
  };
}

/** Checks that an auction's prices prove its matching to be within `slack` per person of the greatest utility. */
export function requireWithin(
  problem: AuctionProblem,
  objectOfPerson: Int32Array,
  price: Float64Array,
  slack: number,
): void {
  const { legal, gap, bound } = certifyAuction(problem, objectOfPerson, price);
  const most = slack * problem.persons + 1e-12 * Math.abs(bound);
  invariant(
    // Prices that are not finite would make `most` infinite, too.
    legal && gap <= most && gap < Infinity,
    () => `an auction of ${problem.persons} × ${problem.objects} is ${gap} below its bound, more than ${most}`,
  );
}
