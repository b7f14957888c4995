import { fileOrder } from "../map/instance/edges.js";
import { membersOf, setCount } from "../map/instance/exclusions.js";
import { type Incidence, incidenceOf } from "../map/instance/incidence.js";
import { type Graph, linkBetween, tripletCost } from "../map/instance/instance.js";

/**
 * An instance as the integer program of docs/explanation/mathematics.md §1, for other solvers: columns x_e (binary) for every edge and y_e_f for every triplet
 * of finite cost, which are integral where x is; rows out, in, next and last, and a row set for each exclusion, which counts the detections of its set that are not used, a row division for each twin and a row daughter for each of her links.
 */
interface IntegerProgram {
  /** Column names with their costs; the first `edges` are x. */
  readonly columns: readonly (readonly [name: string, cost: number])[];
  readonly edges: number;
  /** Rows: name, right side, entries (column, value), and whether the sum may be more than the right side. */
  readonly rows: readonly Row[];
}

type Row = readonly [name: string, right: number, entries: readonly (readonly [number, number])[], orMore?: boolean];

function programOf(graph: Graph, { outFrom, outEdge, inFrom, inEdge }: Incidence): IntegerProgram {
  const { frames, frameStart, edges, tail, head, cost, surcharge, exclusions, motherOf, birthOf, deathOf } = graph;
  const { linkStart, linkEnd } = graph;
  const first = frameStart[1];
  const last = frameStart[frames - 1];
  const columns: [string, number][] = [];
  const place = new Uint32Array(edges);
  const order = fileOrder(graph);
  for (const [k, e] of order.entries()) {
    place[e] = k;
    columns.push([`x${k}`, (surcharge?.stated ?? cost)[e]]);
  }
  const next: [number, number][][] = Array.from({ length: edges }, () => []);
  /** The column of a detection's birth and death. */
  const lone = new Uint32Array(last);
  const lasts: [number, number][][] = Array.from({ length: edges }, () => []);
  for (let d = first; d < last; d++) {
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
      for (let q = outFrom[d]; q < outFrom[d + 1]; q++) {
        const [e, f] = [inEdge[k], outEdge[q]];
        const price = tripletCost(graph, e, f);
        if (price === Number.POSITIVE_INFINITY) continue;
        next[e].push([columns.length, 1]);
        lasts[f].push([columns.length, 1]);
        if (e === birthOf[d] && f === deathOf[d]) lone[d] = columns.length;
        columns.push([`y${place[e]}_${place[f]}`, price]);
      }
    }
  }
  const rows: Row[] = [];
  const at = (name: string, from: Uint32Array, list: Uint32Array, d: number): void => {
    rows.push([name, 1, Array.from(list.subarray(from[d], from[d + 1]), (e) => [place[e], 1])]);
  };
  for (let d = 0; d < last; d++) at(`out${d}`, outFrom, outEdge, d);
  for (let d = first; d < frameStart[frames]; d++) at(`in${d}`, inFrom, inEdge, d);
  for (const [k, e] of order.entries()) {
    if (head[e] >= 0 && head[e] < last) rows.push([`next${k}`, 0, [...next[e], [k, -1]]]);
    if (tail[e] >= first) rows.push([`last${k}`, 0, [...lasts[e], [k, -1]]]);
  }
  for (let set = 0; exclusions !== null && set < setCount(exclusions); set++) {
    const members = Array.from(membersOf(exclusions, set));
    const unused = members.map(
      (d) => [d < first ? place[deathOf[d]] : d < last ? lone[d] : place[birthOf[d]], 1] as const,
    );
    rows.push([`set${set}`, members.length - 1, unused, true]);
  }
  motherOf?.forEach((mother, twin) => {
    if (mother < 0) return;
    const ends: readonly [number, number] = [place[deathOf[mother]], -1];
    // Where a mother ends her twin does; and of her end, her link to a daughter and her twin's there is one at most.
    rows.push([`division${twin}`, 0, [[place[deathOf[twin]], 1], ends], true]);
    for (let e = linkStart[twin]; e < linkEnd[twin]; e++) {
      const first = linkBetween(graph, mother, head[e]);
      if (first >= 0) rows.push([`daughter${place[e]}`, -1, [[place[first], -1], [place[e], -1], ends], true]);
    }
  });
  return { columns, edges, rows };
}

/** CPLEX LP format. Numbers are the shortest that give the same f64 again. */
export function formatLp(graph: Graph): string {
  const { columns, edges, rows } = programOf(graph, incidenceOf(graph));
  const term = (value: number, name: string): string => `${value < 0 ? "-" : "+"} ${Math.abs(value)} ${name}`;
  const lines = ["Minimize", " obj:"];
  for (const [name, cost] of columns) lines.push(` ${term(cost, name)}`);
  lines.push("Subject To");
  for (const [name, right, entries, orMore] of rows) {
    const sum = entries.map(([c, value]) => `  ${term(value, columns[c][0])}`);
    lines.push(` ${name}:`, ...sum, `  ${orMore ? ">=" : "="} ${right}`);
  }
  lines.push("Binary");
  for (let e = 0; e < edges; e++) lines.push(` ${columns[e][0]}`);
  return `${lines.join("\n")}\nEnd\n`;
}

/** Free-format MPS. */
export function formatMps(graph: Graph): string {
  const { columns, edges, rows } = programOf(graph, incidenceOf(graph));
  const ofColumn: [string, number][][] = columns.map(([, cost]) => [["obj", cost]]);
  for (const [name, , entries] of rows) for (const [c, value] of entries) ofColumn[c].push([name, value]);
  // FREE says to CBC that fields are separated by blanks; GLPK is told so by --freemps, and HiGHS sees it.
  const lines = [
    "NAME rmap FREE",
    "ROWS",
    " N obj",
    ...rows.map(([name, , , orMore]) => ` ${orMore ? "G" : "E"} ${name}`),
    "COLUMNS",
  ];
  lines.push(" M1 'MARKER' 'INTORG'");
  columns.forEach(([name], c) => {
    if (c === edges) lines.push(" M2 'MARKER' 'INTEND'");
    for (const [row, value] of ofColumn[c]) lines.push(` ${name} ${row} ${value}`);
  });
  if (columns.length === edges) lines.push(" M2 'MARKER' 'INTEND'");
  lines.push("RHS");
  for (const [name, right] of rows) if (right !== 0) lines.push(` rhs ${name} ${right}`);
  lines.push("BOUNDS");
  for (let e = 0; e < edges; e++) lines.push(` UP bnd ${columns[e][0]} 1`);
  return `${lines.join("\n")}\nENDATA\n`;
}
