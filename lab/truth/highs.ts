import type { Graph } from "../../src/map/instance/instance.js";

/**
 * The MAP of an instance as a linear or mixed-integer program for HiGHS, straight from the formulation:
 *
 *     min  Σ_e C_e x_e + Σ_ef D_ef y_ef
 *     Σ x_e = 1       over the link and death edges out of each detection of frames 1 … T−1
 *     Σ x_e = 1       over the link and birth edges into each detection of frames 2 … T
 *     Σ_f y_ef = x_e  for every edge into a detection of frames 2 … T−1 (births too)
 *     Σ_e y_ef = x_f  for every edge out of a detection of frames 2 … T−1 (deaths too)
 *     Σ_i u_i ≤ 1     over the detections of each exclusion, u_i the links into i and the y of its birth with a link out of it
 *
 *     x_death(mother) ≤ x_death(twin)
 *
 * x, y ≥ 0; x integer makes y integer. Costs are written with every digit a double has. This file has no imports at run
 * time, so that lab/truth can load it too.
 */
export function lpModel(graph: Graph, integer: boolean): string {
  const { frames, frameStart, edges, tail, head, cost } = graph;
  const detections = frameStart[frames];
  const lastFrame = frameStart[frames - 1];
  const objective: string[] = [];
  const leaving: string[][] = Array.from({ length: detections }, () => []);
  const entering: string[][] = Array.from({ length: detections }, () => []);
  const into: string[][] = Array.from({ length: edges }, () => []);
  const out: string[][] = Array.from({ length: edges }, () => []);
  const constraints: string[] = [];
  const term = (coefficient: number, name: string) =>
    objective.push(`${coefficient < 0 ? "-" : "+"} ${Math.abs(coefficient)} ${name}`);
  const sum = (names: readonly string[]) => names.map((name) => `+ ${name}`).join("\n");

  tripletList(graph).forEach(({ e, f, cost }, t) => {
    term(cost, `y${t}`);
    out[e].push(`y${t}`);
    into[f].push(`y${t}`);
  });
  for (let e = 0; e < edges; e++) {
    term(cost[e], `x${e}`);
    if (tail[e] >= 0) leaving[tail[e]].push(`x${e}`);
    if (head[e] >= 0) entering[head[e]].push(`x${e}`);
    if (head[e] >= 0 && head[e] < lastFrame) constraints.push(`${sum(out[e])} - x${e} = 0`);
  }
  for (let d = 0; d < detections; d++) {
    if (d < lastFrame) constraints.push(`${sum(leaving[d])} = 1`);
    if (d >= frameStart[1]) constraints.push(`${sum(entering[d])} = 1`);
  }
  for (let f = 0; f < edges; f++) {
    if (tail[f] >= frameStart[1]) constraints.push(`${sum(into[f])} - x${f} = 0`);
  }
  const uses = (d: number): string[] => {
    const list = Array.from({ length: edges }, (_, e) => e).filter((e) => tail[e] >= 0 && head[e] >= 0);
    if (d < frameStart[1]) return list.filter((e) => tail[e] === d).map((e) => `x${e}`);
    const started = tripletList(graph).flatMap(({ e, f }, t) =>
      tail[e] < 0 && head[e] === d && head[f] >= 0 ? [`y${t}`] : [],
    );
    return [...list.filter((e) => head[e] === d).map((e) => `x${e}`), ...started];
  };
  const { setStart, member } = graph.exclusions ?? { setStart: [0], member: [] };
  for (let s = 0; s + 1 < setStart.length; s++) {
    const items = Array.from(member.slice(setStart[s], setStart[s + 1])).flatMap(uses);
    if (items.length > 0) constraints.push(`${sum(items)} <= 1`);
  }
  graph.motherOf?.forEach((mother, twin) => {
    if (mother >= 0) constraints.push(`+ x${graph.deathOf[mother]} - x${graph.deathOf[twin]} <= 0`);
  });
  const numbered = constraints.map((constraint, n) => `c${n}: ${constraint}`).join("\n");
  const integers = integer ? `Binary\n${Array.from({ length: edges }, (_, e) => `x${e}`).join("\n")}\n` : "";
  return `Minimize\nobj: ${objective.join("\n")}\nSubject To\n${numbered}\n${integers}End\n`;
}

/** Triplets (e, f) with their costs, one by one, however they are stored. */
export function tripletList(graph: Graph): { e: number; f: number; cost: number }[] {
  const { edges, tail, head, triplets } = graph;
  const list: { e: number; f: number; cost: number }[] = [];
  if (triplets.kind === "csr") {
    for (let e = 0; e < edges; e++) {
      for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) {
        list.push({ e, f: triplets.successor[t], cost: triplets.cost[t] });
      }
    }
    return list;
  }
  const leaving = new Map<number, number[]>();
  tail.forEach((d, f) => {
    leaving.set(d, [...(leaving.get(d) ?? []), f]);
  });
  const m = triplets.perEdge;
  for (let e = 0; e < edges; e++) {
    for (const f of head[e] < 0 ? [] : (leaving.get(head[e]) ?? [])) {
      if (tail[e] < 0 || head[f] < 0) list.push({ e, f, cost: 0 });
      else if (triplets.rule === "absolute") list.push({ e, f, cost: Math.abs(m[e] - m[f]) });
      else list.push({ e, f, cost: (m[2 * e] - m[2 * f]) ** 2 + (m[2 * e + 1] - m[2 * f + 1]) ** 2 });
    }
  }
  return list;
}

/** What this file needs of the package `highs`. */
export interface Highs {
  solve(
    model: string,
    options?: Record<string, number | string | boolean>,
  ): { Status: string; ObjectiveValue: number; Columns: Record<string, { Primal?: number }> };
}

export type Truth =
  | { readonly status: "solved"; readonly lp: number; readonly lpIntegral: boolean; readonly next: Int32Array }
  | { readonly status: "infeasible" }
  | { readonly status: "failed"; readonly message: string };

/**
 * LP optimum and an integer optimum by HiGHS. An integral LP solution is an integer optimum, so the integer program is only
 * solved when there is none. When the WebAssembly module aborts, the model is tried once more in a freshly loaded one.
 */
export function createTruth(load: () => Promise<Highs>): (graph: Graph, timeLimit: number) => Promise<Truth> {
  let highs: Highs | null = null;
  const attempt = async (model: string, options: Record<string, number | string>) => {
    for (let again = 0; ; again++) {
      highs ??= await load();
      try {
        return highs.solve(model, options);
      } catch (error) {
        highs = null;
        if (again === 1) throw error;
      }
    }
  };
  return async (graph, timeLimit) => {
    try {
      const relaxed = await attempt(lpModel(graph, false), { time_limit: timeLimit });
      if (relaxed.Status === "Infeasible") return { status: "infeasible" };
      if (relaxed.Status !== "Optimal") return { status: "failed", message: `LP: ${relaxed.Status}` };
      const lp = relaxed.ObjectiveValue;
      const x = Array.from({ length: graph.edges }, (_, e) => relaxed.Columns[`x${e}`]?.Primal ?? 0);
      const lpIntegral = x.every((value) => Math.abs(value - Math.round(value)) < 1e-6);
      if (lpIntegral) return { status: "solved", lp, lpIntegral, next: nextOf(graph, x) };
      const exact = await attempt(lpModel(graph, true), {
        time_limit: timeLimit,
        mip_rel_gap: 0,
        mip_abs_gap: 1e-9,
      });
      if (exact.Status === "Infeasible") return { status: "infeasible" };
      if (exact.Status !== "Optimal") return { status: "failed", message: `integer: ${exact.Status}` };
      const chosen = Array.from({ length: graph.edges }, (_, e) => exact.Columns[`x${e}`]?.Primal ?? 0);
      return { status: "solved", lp, lpIntegral, next: nextOf(graph, chosen) };
    } catch (error) {
      return { status: "failed", message: String(error) };
    }
  };
}

/** The detection that follows each one, −1 where none does, by the links with x > ½. */
function nextOf({ frames, frameStart, edges, tail, head }: Graph, x: readonly number[]): Int32Array {
  const next = new Int32Array(frameStart[frames]).fill(-1);
  for (let e = 0; e < edges; e++) if (tail[e] >= 0 && head[e] >= 0 && x[e] > 0.5) next[tail[e]] = head[e];
  return next;
}
