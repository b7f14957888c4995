import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "../instance/instance.js";
import type { ReadState } from "./steps.js";

/** What an edge costs beyond the duals of its X-LAP, at least 0 up to rounding. */
export function slackOf(
  { tail, head }: Pick<Graph, "tail" | "head">,
  { reduced, rowDual, columnDual }: Pick<ReadState, "reduced" | "rowDual" | "columnDual">,
): (e: number) => number {
  return (e) => {
    const row = tail[e] === UNASSIGNED ? 0 : rowDual[tail[e]];
    const column = head[e] === UNASSIGNED ? 0 : columnDual[head[e]];
    return Math.max(0, reduced[e] - row - column);
  };
}
