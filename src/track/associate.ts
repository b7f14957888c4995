/** How tracks and measurements are linked, on the CPU. All return the measurement of each track, −1 for none. */
import { invariant } from "../core/errors.js";
import { certifyAuction } from "../lap/auction/certificate.js";
import { forwardAuction } from "../lap/auction/forward.js";
import type { AuctionProblem } from "../lap/auction/problem.js";
import { answerOfSides, problemOfSides, sidesOf } from "../lap/auction/sides.js";
import { createJvWorkspace, type JvWorkspace, solveJv } from "../lap/jv/jv.js";
import type { GatedFrame } from "./gate.js";

export interface Association {
  readonly objectOfPerson: Int32Array;
  /** Of an auction. */
  readonly rounds?: number;
  /** The limit on rounds was reached, and the exact solver on the CPU made this association. */
  readonly capped?: true;
}

export interface Associator {
  readonly name: string;
  /** The device and the precision that it ran in. */
  readonly ran: string;
  associate(frame: GatedFrame): Association | Promise<Association>;
  close(): Promise<void>;
}

const nothing = async () => {};

/** The exact association, by shortest augmenting paths. */
export class Exact implements Associator {
  readonly name = "jv";
  readonly ran = "cpu f64";
  readonly close = nothing;
  #workspace: JvWorkspace = createJvWorkspace(0, 0);
  #cost = new Float64Array(0);
  #nought = new Float64Array(0);
  #solution = solutionOf(0);

  associate({ persons, objects, start, object, utility }: AuctionProblem): Association {
    const most = Math.max(persons, objects);
    if (most > this.#workspace.maxRows) {
      this.#workspace = createJvWorkspace(2 * most, 2 * most);
      this.#nought = new Float64Array(2 * most);
      this.#solution = solutionOf(2 * most);
    }
    if (utility.length > this.#cost.length) this.#cost = new Float64Array(2 * utility.length);
    const cost = this.#cost.subarray(0, utility.length);
    for (let k = 0; k < cost.length; k++) cost[k] = -utility[k];
    const { columnOfRow, entryOfRow, rowOfColumn, rowDual, columnDual } = this.#solution;
    const solution = {
      columnOfRow: columnOfRow.subarray(0, persons),
      entryOfRow: entryOfRow.subarray(0, persons),
      rowOfColumn: rowOfColumn.subarray(0, objects),
      rowDual: rowDual.subarray(0, persons),
      columnDual: columnDual.subarray(0, objects),
    };
    const free = {
      rowUnassigned: this.#nought.subarray(0, persons),
      columnUnassigned: this.#nought.subarray(0, objects),
    };
    solveJv(
      { rows: persons, columns: objects, rowStart: start, column: object, cost, ...free },
      solution,
      this.#workspace,
    );
    return { objectOfPerson: solution.columnOfRow };
  }
}

function solutionOf(size: number) {
  return {
    columnOfRow: new Int32Array(size),
    entryOfRow: new Int32Array(size),
    rowOfColumn: new Int32Array(size),
    rowDual: new Float64Array(size),
    columnDual: new Float64Array(size),
  };
}

/** The auction over the list of candidates in f64, in which the smaller side of each component bids, certified from its prices in every frame. */
export class Auction implements Associator {
  readonly name = "auction";
  readonly ran = "cpu f64";
  readonly close = nothing;
  readonly #exact = new Exact();

  /** @param share ε, of d_max */
  constructor(
    readonly share: number,
    readonly mostRounds: number,
  ) {}

  associate(frame: GatedFrame): Association {
    const epsilon = this.share * frame.reach;
    const sides = sidesOf(frame, "list");
    const answer = forwardAuction(problemOfSides(sides, frame), { epsilon, mostRounds: this.mostRounds });
    const { rounds } = answer;
    if (answer.status === "capped") return { ...this.#exact.associate(frame), rounds, capped: true };
    const { objectOfPerson, price } = answerOfSides(sides, frame, answer);
    requireWithin(frame, objectOfPerson, price, epsilon);
    return { objectOfPerson, rounds };
  }
}

/** Checks that an auction's prices prove its matching to be within `slack` per track of the greatest utility. */
export function requireWithin(
  problem: AuctionProblem,
  objectOfPerson: Int32Array,
  price: Float64Array,
  slack: number,
): void {
  const { legal, gap, bound } = certifyAuction(problem, objectOfPerson, price);
  const most = slack * problem.persons + 1e-12 * Math.abs(bound);
  invariant(
    legal && gap <= most,
    () => `an auction of ${problem.persons} × ${problem.objects} is ${gap} below its bound, more than ${most}`,
  );
}

/** Links the nearest pair first. This is not exact; it is what a tracker without an assignment solver does. */
export class Greedy implements Associator {
  readonly name = "greedy";
  readonly ran = "cpu f64";
  readonly close = nothing;

  associate({ persons, objects, start, object, utility }: AuctionProblem): Association {
    const person = new Uint32Array(utility.length);
    for (let i = 0; i < persons; i++) person.fill(i, start[i], start[i + 1]);
    const order = Array.from(utility, (_, k) => k).sort((k, l) => utility[l] - utility[k]);
    const objectOfPerson = new Int32Array(persons).fill(-1);
    const taken = new Uint8Array(objects);
    for (const k of order) {
      if (objectOfPerson[person[k]] >= 0 || taken[object[k]]) continue;
      objectOfPerson[person[k]] = object[k];
      taken[object[k]] = 1;
    }
    return { objectOfPerson };
  }
}
