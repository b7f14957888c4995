// One ascent over processes that talk by TCP, as between hosts: rows for lab/results/shards-tcp.jsonl.
//     node lab/shards/tcp.mjs [PROBLEM] [ITERATIONS] >> lab/results/shards-tcp.jsonl
// The lines of src/map/shards by a socket in place of the pipe: each message is its length and what v8.serialize makes of it. Two shards are compared with one process, and in
// another run the second is killed in the midst of the ascent. All addresses are this machine's: between hosts a line would need a secret as well.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { deserialize, serialize } from "node:v8";
import { solve } from "rmap/map";
import { createCpuSteps } from "../../dist/map/dual/cpu-steps.js";
import { serveShard } from "../../dist/map/shards/serve.js";
import { createShardedSteps } from "../../dist/map/shards/sharded-steps.js";
import { provenance } from "../../dist/rows/provenance.js";
import { inSharedMemory, toSend } from "../../dist/run/shards/arrays.js";
import { makeProblem } from "../ascent/problems.mjs";

const now = () => performance.now() / 1000;
const HEAD = 4;
const SHARDS = 2;

/** A line by a socket, and what was sent by it. */
function lineBy(socket) {
  socket.setNoDelay(true);
  const sent = { messages: 0, bytes: 0 };
  let [hear, lost] = [(_) => {}, (_) => {}];
  let [chunks, held, ended] = [[], 0, null];
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    while (held >= HEAD) {
      // Chunks are joined once a message is whole, so that a long one is copied once.
      if (chunks[0].length < HEAD) chunks = [Buffer.concat(chunks)];
      const length = HEAD + chunks[0].readUInt32LE();
      if (held < length) return;
      const all = Buffer.concat(chunks);
      [chunks, held] = [held > length ? [all.subarray(length)] : [], held - length];
      hear(deserialize(all.subarray(HEAD, length)));
    }
  });
  const gone = (why) => {
    if (ended === null) lost(why);
    ended = why;
  };
  socket.on("error", ({ message }) => gone(message));
  socket.on("close", () => gone("its connection was closed"));
  return {
    sent,
    send(message) {
      const content = serialize(toSend(message));
      const head = Buffer.alloc(HEAD);
      head.writeUInt32LE(content.length);
      sent.messages++;
      sent.bytes += HEAD + content.length;
      if (!socket.destroyed) socket.write(Buffer.concat([head, content]));
    },
    listen(newHear, newLost) {
      [hear, lost] = [newHear, newLost];
    },
  };
}

/** The process of a shard. */
function serve(port) {
  const open = async (graph, part) => ({
    steps: createCpuSteps(inSharedMemory(graph), { threads: 1, now, part }),
    actual: "cpu",
  });
  serveShard(lineBy(connect(port, "127.0.0.1")), open, () => process.exit());
}

/** Shards as processes that connect to this one; `kill` ends the second. */
async function connected() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const all = [];
  for (let k = 0; k < SHARDS; k++) {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "serve", `${port}`], { stdio: "inherit" });
    const [socket] = await once(server, "connection");
    all.push({ child, socket, line: lineBy(socket) });
  }
  server.close();
  return {
    lines: all.map(({ line }) => line),
    kill: () => all[1].child.kill("SIGKILL"),
    end() {
      for (const { socket } of all) socket.destroy();
    },
  };
}

async function measure(problem, iterations) {
  const { graph } = await makeProblem(problem, 1, 1);
  const limits = { iterations, gap: 0, time: Number.POSITIVE_INFINITY, now };
  const run = async (kind, steps, sent = [], progress = undefined) => {
    const began = now();
    const {
      status,
      lowerBound,
      upperBound,
      iterations: made,
      loss,
    } = await solve(graph, steps, { ascent: "bundle", ...limits, progress });
    const total = (of) => sent.reduce((sum, each) => sum + each[of], 0);
    const answer = { status, lowerBound, upperBound, iterations: made, loss };
    const traffic = { messages: total("messages"), bytes: total("bytes") };
    const { edges, frames } = graph;
    const row = {
      benchmark: "shards-tcp",
      problem,
      kind,
      ...answer,
      ...traffic,
      edges,
      frames,
      seconds: +(now() - began).toFixed(3),
    };
    console.log(JSON.stringify({ ...row, ...provenance(new Date()) }));
  };
  await run("one process", createCpuSteps(graph, { threads: 1, now }));
  for (const kind of ["tcp", "tcp, one lost"]) {
    const { lines, kill, end } = await connected();
    const steps = await createShardedSteps(graph, lines, now);
    const opened = lines.map(({ sent }) => ({ ...sent }));
    const since = lines.map(({ sent }, k) => ({
      get messages() {
        return sent.messages - opened[k].messages;
      },
      get bytes() {
        return sent.bytes - opened[k].bytes;
      },
    }));
    const lose = ({ iteration }) => void (iteration >= iterations >> 1 && kill());
    await run(kind, steps, since, kind === "tcp" ? undefined : lose);
    end();
  }
}

const [first = "gated:100,100", second = "40"] = process.argv.slice(2);
if (first === "serve") serve(Number(second));
else await measure(first, Number(second));
