/**
 * A folder of GEFF with many candidate edges: targets that diffuse in a box, each node with an edge to its nearest nodes of the next frame. It is written, unless it is there,
 * and read as `rmap solve` reads it.
 *
 *     node lab/lineages/graph.mjs FOLDER.geff [--nodes 1010] [--frames 100] [--edges 9]
 *
 * Prints CPU seconds and memory of the reading; `rmap solve FOLDER.geff` solves it.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { randomStreams } from "../../dist/core/random.js";
import { formatGraph } from "../../dist/formats/geff.js";
import { readGeffGraph } from "../../dist/formats/geff-graph.js";

const number = (/** @type {string} */ value) => ({ type: /** @type {const} */ ("string"), default: value });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { nodes: number("1010"), frames: number("100"), edges: number("9") },
});
const [folder] = positionals;
const [nodes, frames, near] = [values.nodes, values.frames, values.edges].map(Number);

if (!existsSync(folder)) {
  const random = randomStreams(1).next().value;
  const count = nodes * frames;
  const place = [0, 1, 2].map(() => new Float64Array(count));
  for (const axis of place)
    for (let d = 0; d < count; d++) axis[d] = d < nodes ? random.uniform(0, 100) : axis[d - nodes] + random.normal();
  const edges = /** @type {[number, number][]} */ ([]);
  const cost = /** @type {number[]} */ ([]);
  for (let d = 0; d < count - nodes; d++) {
    const begin = (Math.floor(d / nodes) + 1) * nodes;
    const far = Array.from({ length: nodes }, (_, n) => Math.hypot(...place.map((axis) => axis[begin + n] - axis[d])));
    const order = Array.from(far.keys()).sort((a, b) => far[a] - far[b]);
    for (const n of order.slice(0, near)) {
      edges.push([d, begin + n]);
      cost.push(far[n] - 12);
    }
  }
  const [z, y, x] = place;
  const ends = { values: new Float64Array(count).fill(5) };
  const graph = {
    ...{ x, y, z, edges, track: new Int32Array(count).fill(-1) },
    frame: Float64Array.from({ length: count }, (_, d) => Math.floor(d / nodes)),
    nodeProperties: { birth: ends, death: ends },
    edgeProperties: { cost: { values: Float64Array.from(cost) } },
  };
  for (const [path, content] of formatGraph(graph)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
} else {
  const before = process.cpuUsage();
  const input = await readGeffGraph(folder, {});
  const { user, system } = process.cpuUsage(before);
  const links = input.kind === "instance" ? input.instance.problem.links.tail.length : 0;
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`${links} edges: ${((user + system) / 1e6).toFixed(2)} CPU s, ${peak} MB at most`);
}
