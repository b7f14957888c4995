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
  const { edgeStart, birthStart } = graph;
  const { multiplier, kept, sum, charge, constant } = divisions;
  const rows = rowsOf(graph, divisions);
  return {
    charge(p) {
      for (let e = edgeStart[p]; e < birthStart[p]; e++) reduced[e] += charge[e];
    },
    constant: (p) => constant[p],
    subgradient(p) {
      rows.take(p, linkOfRow, 0, 1);
      let norm = 0;
      rows.each(p, (k) => {
        if (multiplier[k] > 0 || sum[k] > 1) norm += (sum[k] - 1) ** 2;
      });
      return norm;
    },
    follow(p, step) {
      rows.weigh(p, multiplier, step);
    },
    keep(p) {
      rows.each(p, (k) => {
        kept[k] = multiplier[k];
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
  const { pairStart, twin, mother, daughterStart, first, kept, sum, charge, constant, value } = divisions;
  const { head, linkStart } = graph;
  const detections = state.staleDelta.length;
  const twins = twin.length;
  const rows = rowsOf(graph, divisions);
  return {
    stored() {},
    begin(p, slot) {
      rows.take(p, planeEdge, slot * detections, 1);
      rows.weigh(p, divisions.multiplier, 0);
    },
    value(p, slot) {
      const base = slot * detections;
      let total = -constant[p];
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++)
        total += charge[planeEdge[base + mother[n]]] + charge[planeEdge[base + twin[n]]];
      return total;
    },
    present: (p) => value[p],
    // A row whose multiplier stays 0 on the whole way to the plane bends nothing.
    distance(p, slot, tau) {
      const base = slot * detections;
      let total = 0;
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) {
        const [e, f] = [planeEdge[base + mother[n]], planeEdge[base + twin[n]]];
        const ends = head[e] === UNASSIGNED ? 1 : 0;
        const divides = head[f] === UNASSIGNED ? 0 : 1;
        const taken = divides === 1 ? daughterStart[n] + f - linkStart[twin[n]] : -1;
        const both = ends + divides - sum[n];
        if (kept[n] + tau * (Math.max(both, 0) + sum[n] - 1) > 0) total += both * both;
        for (let k = daughterStart[n]; k < daughterStart[n + 1]; k++) {
          const present = sum[twins + k];
          const towards = ends + (first[k] === e ? 1 : 0) + (k === taken ? 1 : 0) - present;
          if (kept[twins + k] + tau * (Math.max(towards, 0) + present - 1) > 0) total += towards * towards;
        }
      }
      return total;
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
  for (let p = 0; p + 1 < graph.frames; p++) rows.weigh(p, multiplier, 0);
}

/** What all steps do with the rows of a pair. */
function rowsOf(
  { head, linkStart, deathOf }: Graph,
  { pairStart, twin, mother, daughterStart, first, multiplier, sum, charge, constant, value }: WeighedDivisions,
) {
  const twins = twin.length;
  return {
    each(p: number, visit: (k: number) => void): void {
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) visit(n);
      for (let k = daughterStart[pairStart[p]]; k < daughterStart[pairStart[p + 1]]; k++) visit(twins + k);
    },
    /** Moves G by `gamma` towards the left sides where each mother and twin takes an edge, at `edge[base + d]`: a link, or none or its death. */
    take(p: number, edge: Int32Array, base: number, gamma: number): void {
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) {
        const [e, f] = [edge[base + mother[n]], edge[base + twin[n]]];
        const ends = e === UNASSIGNED || head[e] === UNASSIGNED ? 1 : 0;
        const divides = f === UNASSIGNED || head[f] === UNASSIGNED ? 0 : 1;
        sum[n] += gamma * (ends + divides - sum[n]);
        const taken = divides === 1 ? daughterStart[n] + f - linkStart[twin[n]] : -1;
        for (let k = daughterStart[n]; k < daughterStart[n + 1]; k++) {
          const g = ends + (first[k] === e ? 1 : 0) + (k === taken ? 1 : 0);
          sum[twins + k] += gamma * (g - sum[twins + k]);
        }
      }
    },
    /** Multipliers max(0, from + step (G − 1)), and what they charge the edges of the pair with. */
    weigh(p: number, from: Float64Array, step: number): void {
      let [all, worth] = [0, 0];
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) {
        const lambda = Math.max(0, from[n] + step * (sum[n] - 1));
        multiplier[n] = lambda;
        worth += lambda * (sum[n] - 1);
        let total = lambda;
        for (let k = daughterStart[n], f = linkStart[twin[n]]; k < daughterStart[n + 1]; k++, f++) {
          // Without a link of the mother λ says all.
          const beyond = sum[twins + k] - 1;
          const mu = first[k] < 0 ? 0 : Math.max(0, from[twins + k] + step * beyond);
          multiplier[twins + k] = mu;
          charge[f] = lambda + mu;
          if (first[k] < 0) continue;
          charge[first[k]] = mu;
          worth += mu * beyond;
          total += mu;
        }
        charge[deathOf[mother[n]]] = total;
        all += total;
      }
      constant[p] = all;
      value[p] = worth;
    },
  };
}
