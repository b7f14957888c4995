import { UNASSIGNED } from "../../lap/lap.js";
import { divisionRows } from "../certificate/divisions.js";
import type { WeighedDivisions } from "../instance/divisions.js";
import type { Graph } from "../instance/instance.js";
import type { PlaneCuts } from "./coordinates.js";
import type { MultiplierSteps } from "./exclusions.js";
import type { AscentState } from "./state.js";

export function createDivisionSteps(graph: Graph, state: AscentState): MultiplierSteps | null {
  const { divisions, reduced, linkOfRow } = state;
  if (divisions === null) return null;
  const { linkStart, deathOf } = graph;
  const { pairStart, twin, mother, daughterStart, first, multiplier, kept, charge, constant, total } = divisions;
  const twins = twin.length;
  const rows = rowsOf(graph, divisions);
  return {
    charge(p) {
      const add = (e: number, value: number): void => {
        charge[e] = value;
        reduced[e] += value;
      };
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) {
        add(deathOf[mother[n]], total[n]);
        for (let k = daughterStart[n], f = linkStart[twin[n]]; k < daughterStart[n + 1]; k++, f++) {
          add(f, multiplier[n] + multiplier[twins + k]);
          if (first[k] >= 0) add(first[k], multiplier[twins + k]);
        }
      }
    },
    constant: (p) => constant[p],
    subgradient(p) {
      rows.take(p, linkOfRow, 0, 1);
      let norm = 0;
      rows.each(p, (row, sum) => {
        if (multiplier[row] > 0 || sum > 1) norm += (sum - 1) ** 2;
      });
      return norm;
    },
    follow(p, step) {
      rows.weigh(p, multiplier, step);
    },
    keep(p) {
      rows.each(p, (row) => {
        kept[row] = multiplier[row];
      });
    },
    restore(p) {
      rows.weigh(p, kept, 0);
    },
  };
}

/** The rows of divisions as coordinates of the bundle: a plane's g is the left side of a row, and its multiplier max(0, kept + τ (G − 1)). */
export function divisionPlanes(graph: Graph, state: AscentState, planeEdge: Int32Array): PlaneCuts | null {
  const { divisions } = state;
  if (divisions === null) return null;
  const { pairStart, twin, mother, rowOfEdge, multiplier, kept, sum, ends, constant, value, total } = divisions;
  const { daughterStart, links, active, activeSize } = divisions;
  const { head } = graph;
  const detections = state.staleDelta.length;
  const twins = twin.length;
  const rows = rowsOf(graph, divisions);
  const muOf = (e: number): number => (rowOfEdge[e] < 0 ? 0 : multiplier[twins + rowOfEdge[e]]);
  return {
    stored() {},
    begin(p, slot) {
      rows.take(p, planeEdge, slot * detections, 1);
      rows.weigh(p, divisions.multiplier, 0);
    },
    value(p, slot) {
      const base = slot * detections;
      let of = -constant[p];
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) {
        const [e, f] = [planeEdge[base + mother[n]], planeEdge[base + twin[n]]];
        of += head[e] === UNASSIGNED ? total[n] : muOf(e);
        if (head[f] !== UNASSIGNED) of += multiplier[n] + muOf(f);
      }
      return of;
    },
    present: (p) => value[p],
    // A row whose multiplier stays 0 on the whole way to the plane bends nothing.
    distance(p, slot, tau) {
      const base = slot * detections;
      let squared = 0;
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) {
        const [e, f] = [planeEdge[base + mother[n]], planeEdge[base + twin[n]]];
        const end = head[e] === UNASSIGNED ? 1 : 0;
        const both = end + (head[f] === UNASSIGNED ? 0 : 1) - sum[n];
        if (kept[n] + tau * (Math.max(both, 0) + sum[n] - 1) > 0) squared += both * both;
        rows.activate(n, rowOfEdge[e]);
        rows.activate(n, rowOfEdge[f]);
        for (let a = daughterStart[n]; a < daughterStart[n] + activeSize[n]; a++) {
          const k = active[a];
          const present = ends[n] + links[k];
          const towards = end + (rowOfEdge[e] === k ? 1 : 0) + (rowOfEdge[f] === k ? 1 : 0) - present;
          if (kept[twins + k] + tau * (Math.max(towards, 0) + present - 1) > 0) squared += towards * towards;
        }
      }
      return squared;
    },
    move(p, slot, gamma, tau) {
      rows.take(p, planeEdge, slot * detections, gamma);
      rows.weigh(p, kept, tau);
    },
    model: (p) => value[p],
    stand(p, tau) {
      rows.weigh(p, kept, tau);
    },
  };
}

/** Sets the multipliers to those that follow from the other ones, as `reduced` has them, and β. */
export function weighDivisionsBy(graph: Graph, state: AscentState, columnDual: Float64Array): void {
  const { divisions, reduced } = state;
  if (divisions === null) return;
  const { twin, daughterStart, charge } = divisions;
  const { head, linkStart } = graph;
  const multiplier = new Float64Array(divisions.multiplier.length);
  const slack = (e: number): number => reduced[e] - charge[e] - (head[e] === UNASSIGNED ? 0 : columnDual[head[e]]);
  for (const [n, d] of twin.entries()) {
    const { lambda, mu, twinsLink } = divisionRows(graph, d, slack);
    multiplier[n] = lambda;
    if (mu > 0) multiplier[twin.length + daughterStart[n] + twinsLink - linkStart[d]] = mu;
  }
  weighRows(graph, divisions, multiplier);
}

/** Sets the multipliers of the rows. */
export function weighRows(graph: Graph, divisions: WeighedDivisions, multiplier: Float64Array): void {
  const rows = rowsOf(graph, divisions);
  const { pairStart, twin, daughterStart } = divisions;
  for (const n of twin.keys())
    for (let k = daughterStart[n]; k < daughterStart[n + 1]; k++)
      if (multiplier[twin.length + k] > 0) rows.activate(n, k);
  for (let p = 0; p + 1 < pairStart.length; p++) rows.weigh(p, multiplier, 0);
}

/** What all steps do with the rows of a pair. */
function rowsOf({ head }: Graph, divisions: WeighedDivisions) {
  const { pairStart, twin, mother, daughterStart, rowOfEdge, multiplier, sum, ends, links, constant, value } =
    divisions;
  const { active, activeSize, isActive, total } = divisions;
  const twins = twin.length;
  const activate = (n: number, k: number): void => {
    if (k < 0 || isActive[k] === 1) return;
    isActive[k] = 1;
    active[daughterStart[n] + activeSize[n]++] = k;
  };
  return {
    activate,
    /** Visits the rows of a pair that have a multiplier, or may, with their left sides. */
    each(p: number, visit: (row: number, sum: number) => void): void {
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) {
        visit(n, sum[n]);
        for (let a = daughterStart[n]; a < daughterStart[n] + activeSize[n]; a++)
          visit(twins + active[a], ends[n] + links[active[a]]);
      }
    },
    /** Moves G by `gamma` towards the left sides where each mother and twin takes an edge, at `edge[base + d]`: a link, or none or its death. */
    take(p: number, edge: Int32Array, base: number, gamma: number): void {
      const add = (n: number, k: number): void => {
        activate(n, k);
        if (k >= 0) links[k] += gamma;
      };
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) {
        const [e, f] = [edge[base + mother[n]], edge[base + twin[n]]];
        const end = e === UNASSIGNED || head[e] === UNASSIGNED ? 1 : 0;
        const divides = f === UNASSIGNED || head[f] === UNASSIGNED ? 0 : 1;
        sum[n] += gamma * (end + divides - sum[n]);
        ends[n] += gamma * (end - ends[n]);
        for (let a = daughterStart[n]; a < daughterStart[n] + activeSize[n]; a++)
          links[active[a]] -= gamma * links[active[a]];
        if (end === 0) add(n, rowOfEdge[e]);
        if (divides === 1) add(n, rowOfEdge[f]);
      }
    },
    /** Multipliers max(0, from + step (G − 1)). */
    weigh(p: number, from: Float64Array, step: number): void {
      let [all, worth] = [0, 0];
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) {
        const lambda = Math.max(0, from[n] + step * (sum[n] - 1));
        multiplier[n] = lambda;
        worth += lambda * (sum[n] - 1);
        total[n] = lambda;
        for (let a = daughterStart[n]; a < daughterStart[n] + activeSize[n]; a++) {
          const k = active[a];
          const beyond = ends[n] + links[k] - 1;
          const mu = Math.max(0, from[twins + k] + step * beyond);
          multiplier[twins + k] = mu;
          worth += mu * beyond;
          total[n] += mu;
        }
        all += total[n];
      }
      constant[p] = all;
      value[p] = worth;
    },
  };
}
