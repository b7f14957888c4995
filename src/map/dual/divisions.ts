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
      rows.take(p, (d) => linkOfRow[d], 1);
      let norm = 0;
      rows.each(p, (k) => {
        if (multiplier[k] > 0 || sum[k] > 1) norm += (sum[k] - 1) ** 2;
      });
      return norm;
    },
    follow(p, step) {
      rows.each(p, (k) => {
        multiplier[k] = Math.max(0, multiplier[k] + step * (sum[k] - 1));
      });
      rows.charge(p);
    },
    keep(p) {
      rows.each(p, (k) => {
        kept[k] = multiplier[k];
      });
    },
    restore(p) {
      rows.each(p, (k) => {
        multiplier[k] = kept[k];
      });
      rows.charge(p);
    },
  };
}

/** The rows of divisions as coordinates of the bundle: a plane's g is the left side of a row, and its multiplier max(0, kept + τ (G − 1)). */
export function divisionPlanes(graph: Graph, state: AscentState, planeEdge: Int32Array): PlaneCuts | null {
  const { divisions } = state;
  if (divisions === null) return null;
  const { pairStart, twin, mother, daughterStart, first, multiplier, kept, sum, charge, constant } = divisions;
  const { head, linkStart } = graph;
  const detections = state.staleDelta.length;
  const twins = twin.length;
  const rows = rowsOf(graph, divisions);
  const stand = (p: number, tau: number): void => {
    rows.each(p, (k) => {
      multiplier[k] = Math.max(0, kept[k] + tau * (sum[k] - 1));
    });
    rows.charge(p);
  };
  const model = (p: number): number => {
    let total = 0;
    rows.each(p, (k) => {
      total += multiplier[k] * (sum[k] - 1);
    });
    return total;
  };
  const move = (p: number, slot: number, gamma: number): void =>
    rows.take(p, (d) => planeEdge[slot * detections + d], gamma);
  return {
    stored() {},
    begin(p, slot) {
      move(p, slot, 1);
    },
    value(p, slot) {
      const base = slot * detections;
      let total = -constant[p];
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++)
        total += charge[planeEdge[base + mother[n]]] + charge[planeEdge[base + twin[n]]];
      return total;
    },
    present: model,
    // A row whose multiplier stays 0 on the whole way to the plane bends nothing.
    distance(p, slot, tau) {
      const base = slot * detections;
      let total = 0;
      const add = (k: number, g: number): void => {
        if (kept[k] + tau * (Math.max(g, sum[k]) - 1) > 0) total += (g - sum[k]) ** 2;
      };
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) {
        const [e, f] = [planeEdge[base + mother[n]], planeEdge[base + twin[n]]];
        const ends = head[e] === UNASSIGNED ? 1 : 0;
        const divides = head[f] === UNASSIGNED ? 0 : 1;
        add(n, ends + divides);
        const taken = divides === 1 ? daughterStart[n] + f - linkStart[twin[n]] : -1;
        for (let k = daughterStart[n]; k < daughterStart[n + 1]; k++) {
          if (first[k] < 0) continue;
          add(twins + k, ends + (first[k] === e ? 1 : 0) + (k === taken ? 1 : 0));
        }
      }
      return total;
    },
    move(p, slot, gamma, tau) {
      move(p, slot, gamma);
      stand(p, tau);
    },
    model,
    stand,
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
  divisions.multiplier.set(multiplier);
  const rows = rowsOf(graph, divisions);
  for (let p = 0; p + 1 < graph.frames; p++) rows.charge(p);
}

/** What all steps do with the rows of a pair. */
function rowsOf(
  { head, linkStart, deathOf }: Graph,
  { pairStart, twin, mother, daughterStart, first, multiplier, sum, charge, constant }: WeighedDivisions,
) {
  const twins = twin.length;
  return {
    each(p: number, visit: (k: number) => void): void {
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) visit(n);
      for (let k = daughterStart[pairStart[p]]; k < daughterStart[pairStart[p + 1]]; k++) visit(twins + k);
    },
    /** Moves G by `gamma` towards the left sides where each mother and twin takes an edge: a link, or none or its death. */
    take(p: number, edgeOf: (d: number) => number, gamma: number): void {
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) {
        const [e, f] = [edgeOf(mother[n]), edgeOf(twin[n])];
        const ends = e === UNASSIGNED || head[e] === UNASSIGNED ? 1 : 0;
        const divides = f === UNASSIGNED || head[f] === UNASSIGNED ? 0 : 1;
        sum[n] += gamma * (ends + divides - sum[n]);
        const taken = divides === 1 ? daughterStart[n] + f - linkStart[twin[n]] : -1;
        for (let k = daughterStart[n]; k < daughterStart[n + 1]; k++) {
          if (first[k] < 0) continue;
          const g = ends + (first[k] === e ? 1 : 0) + (k === taken ? 1 : 0);
          sum[twins + k] += gamma * (g - sum[twins + k]);
        }
      }
    },
    /** Charges the edges of a pair anew. */
    charge(p: number): void {
      constant[p] = 0;
      for (let n = pairStart[p]; n < pairStart[p + 1]; n++) {
        const lambda = multiplier[n];
        let total = lambda;
        for (let k = daughterStart[n], f = linkStart[twin[n]]; k < daughterStart[n + 1]; k++, f++) {
          const mu = multiplier[twins + k];
          charge[f] = lambda + mu;
          if (first[k] >= 0) charge[first[k]] = mu;
          total += mu;
        }
        charge[deathOf[mother[n]]] = total;
        constant[p] += total;
      }
    },
  };
}
