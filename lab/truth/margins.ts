import type { Margins } from "../../src/map/exact/margins.js";
import type { Graph } from "../../src/map/instance/instance.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";
import { isAtMost } from "./check.js";
import { leastThrough } from "./tracks.js";

/** What is false in the margins stated for a set of tracks, by the sets of tracks with and without each of its links, births and deaths. */
export function judgeMargins(problem: PricedProblem, graph: Graph, tracks: Int32Array, margins: Margins): string[] {
  const { frameStart } = problem.links;
  const violations: string[] = [];
  const next = tracks.map((e) => (e < 0 ? -1 : graph.head[e]));
  const previous = new Int32Array(next.length).fill(-1);
  next.forEach((j, i) => {
    if (j >= 0) previous[j] = i;
  });
  leastThrough(problem).forEach((matchings, p) => {
    const [rows, columns, end] = frameStart.subarray(p, p + 3);
    const check = (stated: number, what: string, has: (matching: readonly number[]) => boolean): void => {
      let [within, without]: (bigint | null)[] = [null, null];
      for (const { matching, cost } of matchings) {
        if (cost === null) continue;
        if (!has(matching)) without = without === null || cost < without ? cost : without;
        else within = within === null || cost < within ? cost : within;
      }
      if (within === null) throw new Error(`${what} is in no set of tracks`);
      if (!isAtMost(stated, without === null ? null : without - within))
        violations.push(
          `margin ${stated} of ${what}, which is ${without === null ? "in all" : Number(without - within) * 2 ** -300}`,
        );
    };
    for (let i = rows; i < columns; i++) {
      const j = next[i] < 0 ? -1 : next[i] - columns;
      check(
        margins.out[i],
        `the ${j < 0 ? "death" : "link"} out of detection ${i}`,
        (matching) => matching[i - rows] === j,
      );
    }
    for (let j = columns; j < end; j++) {
      const i = previous[j];
      const twin = i < 0 ? -1 : (problem.motherOf?.[i] ?? -1) >= 0 ? i : (problem.motherOf?.indexOf(i) ?? -1);
      if (twin >= 0)
        check(margins.lineage?.[j] ?? Number.NaN, `the lineage of detection ${j}`, (matching) =>
          [twin, problem.motherOf?.[twin] as number].some((from) => matching[from - rows] === j - columns),
        );
      check(margins.into[j], `the ${i < 0 ? "birth" : "link"} into detection ${j}`, (matching) =>
        i < 0 ? !matching.includes(j - columns) : matching[i - rows] === j - columns,
      );
    }
  });
  return violations;
}
