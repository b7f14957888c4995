import type { Multipliers } from "../costs/motion/reduced-costs.js";
import { toFileOrder } from "../map/instance/edges.js";
import type { Graph } from "../map/instance/instance.js";

/** Where an ascent ended, for costs that come from tracks: they number edges as files do. */
export function multipliersInFileOrder(graph: Graph, { v, delta, rowDual, columnDual }: Multipliers): Multipliers {
  return { v: toFileOrder(graph, v), delta: toFileOrder(graph, delta), rowDual, columnDual };
}
