/** What the scripts of this folder that measure exact solves share: their clock, how an instance is made, and how a row names it. */
import { existsSync } from "node:fs";
import { buildGraph } from "rmap/map";
import { makeProblem } from "rmap/run";
import { digestOf } from "../../dist/formats/digest.js";
import { readInput } from "../../dist/formats/input.js";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow, rowsOf } from "../rows.mjs";

/** Seconds of CPU time of all threads. */
export const now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** CPU seconds since `begin`, to the millisecond. */
export const secondsSince = (/** @type {number} */ begin) => Math.round(1000 * (now() - begin)) / 1000;

/**
 * The graph of an input with the default costs.
 * @param {string} file
 * @param {import("../../dist/run/overrides.js").ProblemOverrides} [overrides]
 */
export async function graphOf(file, overrides = {}) {
  const problem = await makeProblem(await readInput(file), overrides, { threads: 1, now });
  return buildGraph(problem.priced).graph;
}

/**
 * Appends a row about an exact solve of a graph and returns it.
 * @param {string} file
 * @param {import("rmap/map").Graph} graph
 * @param {any} row
 */
export function appendExact(file, graph, { name, ...row }) {
  const { edges, frameStart, frames } = graph;
  const whole = {
    benchmark: /** @type {const} */ ("exact"),
    name,
    sha256: digestOf(graph),
    detections: frameStart[frames],
    edges,
    triplets: graph.triplets.count,
    ...row,
    ...provenance(new Date()),
  };
  keepRow(file, whole);
  return whole;
}

/**
 * The rows that a file has so far.
 * @param {string} file
 */
export const rowsSoFar = (file) => (existsSync(file) ? rowsOf(file) : []);
