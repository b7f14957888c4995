// One problem over hosts, on paper: what a sharded solve of 10,000 targets in 100,000 frames takes on N nodes that exchange the multipliers of their borders by TCP.
//     node lab/scale/hosts.mjs > lab/results/hosts.jsonl
// The work of a frame is that of a row of lab/results/scale-by-size.jsonl, on a machine of 16 cores; latency and bandwidth are assumed, and stand in the rows.
import { readFileSync } from "node:fs";

const FRAMES = 100_000;
/** Seconds of a message one way with its wake-ups, and bytes a second of a connection: 10 Gbit Ethernet. */
const LATENCY = 50e-6;
const BANDWIDTH = 1.1e9;
const MULTIPLIER = 8;

const lines = readFileSync(new URL("../results/scale-by-size.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n");
const rows = lines.map((line) => JSON.parse(line));
const row = rows.findLast(({ problem, device }) => problem === "10000x100" && device.actual === "cpu");
const { iterations, edges, frames, times, hostMiB, problem, revision, threads } = row;
const { xLap, yLsap, distribution, update, feasibleTracks, certificate } = times;
const perFrame = (xLap + yLsap + distribution + update) / iterations / frames;
const border = (MULTIPLIER * edges) / (frames - 1);
const memory = (hostMiB * 2 ** 20) / frames;
for (const nodes of [1, 2, 4, 8, 16, 32, 64, 128, 256]) {
  // After each of two parities a border's multipliers go to the neighbour; bounds are summed in a tree.
  const exchange = nodes === 1 ? 0 : 2 * (LATENCY + border / BANDWIDTH) + 2 * LATENCY * Math.ceil(Math.log2(nodes));
  const seconds = {
    ascent: (iterations * perFrame * FRAMES) / nodes,
    exchange: iterations * exchange,
    // Where one process gathers the multipliers and searches, prices and certifies, as that of --shards does.
    gather: nodes === 1 ? 0 : (border * FRAMES) / BANDWIDTH,
    tracks: (feasibleTracks / frames) * FRAMES,
    certificate: (certificate / frames) * FRAMES,
  };
  const bytes = { node: (memory * FRAMES) / nodes, border, gathering: memory * FRAMES };
  const assumed = { latency: LATENCY, bandwidth: BANDWIDTH, iterations, cores: threads };
  const from = { problem, revision };
  console.log(
    JSON.stringify({
      benchmark: "hosts",
      simulated: true,
      targets: 10_000,
      frames: FRAMES,
      nodes,
      from,
      assumed,
      seconds,
      bytes,
    }),
  );
}
