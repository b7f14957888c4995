import type { AuctionProblem } from "../../lap/auction/problem.js";

/** The assignment problem of all pairs to which `worth` gives a utility; null for a pair that is no candidate. */
export function candidateList(
  persons: number,
  objects: number,
  worth: (person: number, object: number) => number | null,
): AuctionProblem {
  const start = new Uint32Array(persons + 1);
  const object: number[] = [];
  const utility: number[] = [];
  for (let i = 0; i < persons; i++) {
    for (let j = 0; j < objects; j++) {
      const value = worth(i, j);
      if (value === null) continue;
      object.push(j);
      utility.push(value);
    }
    start[i + 1] = object.length;
  }
  return { persons, objects, start, object: Uint32Array.from(object), utility: Float64Array.from(utility) };
}
