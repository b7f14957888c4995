import { UNASSIGNED } from "../../lap/lap.js";
import { type Graph, linkBetween } from "../instance/instance.js";

/** Two edges of a mother and her twin, and the sum of their slacks. */
interface Choice {
  readonly of: number;
  readonly mother: number;
  readonly twin: number;
}

/** What a mother and her twin may take together, where they take it cheapest (docs/explanation/mathematics.md §1.3). */
export interface DivisionRows {
  /** The least of both, neither an orphan nor one daughter twice. */
  readonly least: Choice;
  /** λ and μ at which rows by themselves come to it: for orphans, and for the daughter of the mother's cheapest link. */
  readonly lambda: number;
  readonly mu: number;
  readonly mothersLink: number;
  readonly twinsLink: number;
}

/** Visits the rows that have a multiplier so, each by its edges. `slack` is read before the rows of its twin are visited. */
export function eachDivisionRow(
  graph: Graph,
  slack: (e: number) => number,
  visit: (edges: readonly number[], multiplier: number) => void,
): void {
  const { motherOf, linkStart, linkEnd, deathOf } = graph;
  motherOf?.forEach((mother, twin) => {
    if (mother === UNASSIGNED) return;
    const { lambda, mu, mothersLink, twinsLink } = divisionRows(graph, twin, slack);
    const end = deathOf[mother];
    if (lambda > 0)
      visit([end, ...Array.from({ length: linkEnd[twin] - linkStart[twin] }, (_, n) => linkStart[twin] + n)], lambda);
    if (mu > 0) visit([end, mothersLink, twinsLink], mu);
  });
}

const NONE: readonly [slack: number, edge: number] = [Number.POSITIVE_INFINITY, -1];

/**
 * From Ĉ − β of the edges out of a mother and her twin. Let a₁ ≤ a₂ be the least of her links, A her death's, b₁ that of the twin's link to the daughter of a₁, b the least of her others, and B
 * her death's. Both take A + B, a₁ + B, a₁ + b or a₂ + b₁ at least. λ raises A to a₁ at most, and then μ raises a₁ to a₂ at most, each as long as the twin gains by it.
 */
export function divisionRows(graph: Graph, twin: number, slack: (e: number) => number): DivisionRows {
  const { linkStart, linkEnd, head, deathOf } = graph;
  const mother = graph.motherOf?.[twin] ?? UNASSIGNED;
  let [first, second] = [NONE, NONE];
  for (let e = linkStart[mother]; e < linkEnd[mother]; e++) {
    const a = slack(e);
    if (a < first[0]) [first, second] = [[a, e], first];
    else if (a < second[0]) second = [a, e];
  }
  const same = first[1] < 0 ? -1 : linkBetween(graph, twin, head[first[1]]);
  const withSame: typeof NONE = same < 0 ? NONE : [slack(same), same];
  let withOther = NONE;
  for (let e = linkStart[twin]; e < linkEnd[twin]; e++) {
    const b = slack(e);
    if (e !== same && b < withOther[0]) withOther = [b, e];
  }
  const ends: typeof NONE = [slack(deathOf[mother]), deathOf[mother]];
  const alone: typeof NONE = [slack(deathOf[twin]), deathOf[twin]];
  const choices = [
    [ends, alone],
    [first, alone],
    [first, withOther],
    [second, withSame],
  ].map(([a, b]): Choice => ({ of: a[0] + b[0], mother: a[1], twin: b[1] }));
  const least = choices.reduce((best, one) => (one.of < best.of ? one : best));
  const gain = (most: number, wanted: number): number => {
    const value = Math.min(most, wanted);
    return value > 0 && value < Number.POSITIVE_INFINITY ? value : 0;
  };
  const toGoOn = first[0] - ends[0];
  const lambda = gain(toGoOn, alone[0] - Math.min(withSame[0], withOther[0]));
  const others = Math.min(alone[0], withOther[0] + lambda);
  // Where λ has not raised the mother's end to her links, she ends.
  const mu = lambda >= toGoOn ? gain(second[0] - first[0], others - withSame[0] - lambda) : 0;
  return { least, lambda, mu, mothersLink: first[1], twinsLink: same };
}
