import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { serialize } from "node:v8";
import { expect, test } from "vitest";
import { createCpuSteps } from "../../src/map/dual/cpu-steps.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { solve } from "../../src/map/solve.js";
import { ShardedBackend } from "../../src/run/shards/backend.js";
import { gather, serveFirst, taskOf } from "../../src/run/shards/hosts.js";
import { BEAT, SocketLine } from "../../src/run/shards/socket-line.js";
import { startShard } from "../../src/run/shards/start.js";
import { refuses, scenarios } from "../cli/rmap.js";
import { start, until } from "../experiments/sweep/support.js";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { randomProblem, seconds } from "../map/problems.js";
import { shardProcesses } from "./shard-processes.js";

const parent = temporaryFolder();
const host = fileURLToPath(new URL("host.mjs", import.meta.url));
const settings = { device: "cpu", threads: 1, xLaps: "auto" } as const;
const facts = { input: "1" };

/** What srun tells a task; two of them on a host have other names here. */
const asTask = (rank: number, tasks: number, step = "0") => ({
  ...{ SLURM_PROCID: `${rank}`, SLURM_NTASKS: `${tasks}`, SLURM_STEP_NUM_TASKS: `${tasks}` },
  ...{ SLURM_JOB_ID: "7", SLURM_STEP_ID: step, SLURMD_NODENAME: `n${rank}` },
});
const task = (folder: string, rank: number, tasks = 2) => taskOf(folder, asTask(rank, tasks));
const meetingIn = (folder: string) => join(folder, ".rmap-hosts-7.0");

test("three tasks come to the bound, tracks and proof of three processes to the last bit, and leave nothing else", async () => {
  const scenario = { name: "hosts", simulation: { targets: 8, frames: 14 }, cost: "spline", births: "none", seed: 4 };
  const cwd = folderWith(parent, { "s.json": JSON.stringify(scenario) });
  const args = ["solve", "s.json", "--gap", "0", "--cuts", "none", "--iterations", "6", "--device", "cpu", "-q"];
  const tasks = [2, 1, 0].map((rank) => start([...args, "--shards", "hosts", "-o", "hosts"], cwd, asTask(rank, 3)));
  const here = start([...args, "--shards", "3", "-o", "here"], cwd);
  expect(await Promise.all([...tasks, here].map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
  expect(tasks.map(({ heard }) => heard.stderr)).toEqual(["", "", ""]);
  expect(tasks.slice(0, 2).map(({ heard }) => heard.stdout)).toEqual(["", ""]);
  expect(tasks[2].heard.stdout).toMatch(/3 × cpu f64 on n0, n1, n2,/);
  expect(readdirSync(join(cwd, "hosts"))).toEqual(readdirSync(join(cwd, "here")));
  const read = (folder: string, name: string) => readFileSync(join(cwd, folder, name), "utf8");
  for (const name of ["tracks.csv", "proof.json"]) expect(read("hosts", name)).toBe(read("here", name));
  const [hosts, one] = ["hosts", "here"].map((folder) => JSON.parse(read(folder, "result.json")));
  for (const name of ["status", "lowerBound", "upperBound", "iterations"]) expect(hosts[name]).toBe(one[name]);
  expect(hosts.device).toEqual({ ...one.device, hosts: ["n0", "n1", "n2"] });
});

test("a task that is killed ends the ascent with the certified answer so far, and those that are left make the next one", async () => {
  const counts = Array.from({ length: 30 }, (_, p) => 7 + (p % 3));
  const { graph } = buildGraph(randomProblem({ seed: 4, counts, births: true, storage: "absolute" }));
  const limits = { ascent: "bundle", gap: 0, time: Number.POSITIVE_INFINITY, now: seconds } as const;
  const folder = folderWith(parent, {});
  const gathered = gather(task(folder, 0, 3), facts, 30);
  const begin = (rank: number) => start([folder, JSON.stringify(facts)], folder, asTask(rank, 3), host);
  // The last comes first.
  const last = begin(2);
  const shardOfLast = () => shardProcesses(last.child.pid);
  await until(() => shardOfLast().length > 0, "the shard of the last task");
  const before = shardOfLast();
  const others = [begin(1), last];
  const shards = [startShard(0, settings, "n0"), ...(await gathered)];
  const backend = new ShardedBackend("auto", shards, { threads: 1, now: seconds });
  try {
    const cut = await solve(graph, await backend.createSteps(graph), {
      ...limits,
      iterations: 100_000,
      progress: ({ iteration }) => {
        // As scancel --signal does to all tasks.
        if (iteration === 6) for (const { child } of others) child.kill("SIGTERM");
        if (iteration === 12) others[0].child.kill("SIGKILL");
      },
    });
    expect(cut).toMatchObject({ status: "stopped", loss: expect.stringMatching(/^shard 2 of 3 was lost \(n1: /) });
    const other = { ...limits, ascent: "polyak", iterations: 24 } as const;
    const whole = await solve(graph, createCpuSteps(graph, { threads: 1, now: seconds }), other);
    expect(cut.lowerBound).toBeLessThanOrEqual(whole.upperBound);
    expect(cut.lowerBound).toBeGreaterThan(whole.lowerBound - 0.2 * Math.abs(whole.lowerBound));
    expect(cut.tracks).not.toBeNull();
    const steps = await backend.createSteps(graph);
    expect(steps.notes).toEqual([expect.stringMatching(/^Warning: a shard was lost \(n1: .*made without it\.$/)]);
    const again = await solve(graph, steps, other);
    expect(backend.hosts).toEqual(["n0", "n2"]);
    // The one before may wait for what the lost one was to send.
    expect(shardOfLast()).not.toEqual(before);
    expect(again.loss).toBeNull();
    expect(again.lowerBound).toBeCloseTo(whole.lowerBound, 9);
  } finally {
    await backend.close();
  }
  expect(await Promise.all(others.map(({ ended }) => ended))).toEqual([null, 0]);
  expect(others.map(({ heard }) => heard)).toEqual(others.map(() => ({ stdout: "", stderr: "" })));
});

test("the end of the first task ends the others", async () => {
  const scenario = { name: "long", simulation: { targets: 40, frames: 40, noise: { position: 0.4 } }, gate: "none" };
  const cwd = folderWith(parent, { "s.json": JSON.stringify(scenario) });
  const args = ["solve", "s.json", "--gap", "0", "--cuts", "none", "--ascent", "polyak", "--iterations", "100000"];
  const begin = (rank: number) => start([...args, "--shards", "hosts", "-o", "."], cwd, asTask(rank, 2));
  const first = begin(0);
  const isMeeting = () => existsSync(meetingIn(cwd));
  await until(isMeeting, "the meeting");
  expect(statSync(meetingIn(cwd)).mode & 0o777).toBe(0o600);
  const other = begin(1);
  // Before it has its shard, it would wait for another first one.
  await until(() => shardProcesses(other.child.pid).length > 0, "the shard of the other");
  first.child.kill("SIGKILL");
  expect(await other.ended).toBe(1);
  expect(other.heard).toEqual({ stdout: "", stderr: expect.stringMatching(/^rmap: the first task: [^\n]*\n$/) });
});

test("who has no token, or another one, is not heard, and no other than the owner may know it", async () => {
  const folder = folderWith(parent, {});
  const gathered = gather(task(folder, 0), facts, 2).catch(({ message }) => message);
  await until(() => readdirSync(folder).length > 0, "the meeting", 5000, 1);
  const meeting = JSON.parse(readFileSync(meetingIn(folder), "utf8"));
  const stranger = connect(meeting.port, "127.0.0.1");
  stranger.on("error", () => {});
  stranger.write(Buffer.concat([Buffer.from([40, 0, 0, 0]), serialize({ kind: "answer", value: 1 })]));
  const leave = (content: object, mode: number) =>
    writeFileSync(meetingIn(folder), JSON.stringify(content), { mode, flag: "w" });
  const told = () => serveFirst(task(folder, 1), facts, settings, 0.2);
  leave({ ...meeting, token: "00".repeat(32) }, 0o600);
  await expect(told()).rejects.toThrow(
    /^--shards hosts: task 1 on n1 did not come .* \(who listens has another token\)$/,
  );
  await expect(gathered).resolves.toMatch(/of 1 other tasks 0 came within 2 s; start all by one srun/);
  expect(readdirSync(folder)).toEqual([]);
  leave(meeting, 0o640);
  await expect(told()).rejects.toThrow(/others can read it/);
});

test("tasks of another version or input are told so, and the first one too", async () => {
  for (const other of [
    { ...facts, input: "2" },
    { ...facts, rmap: "rmap 0.1" },
  ]) {
    const folder = folderWith(parent, {});
    const first = { rmap: "rmap 0.2", ...facts };
    const gathered = gather(task(folder, 0), first, 5).catch(({ message }) => message);
    const name = other.input === "2" ? "input is 2 .* and 1" : "rmap is rmap 0.1 .* and rmap 0.2";
    await expect(serveFirst(task(folder, 1), { ...first, ...other }, settings, 5)).rejects.toThrow(
      new RegExp(`^--shards hosts: ${name} for the first one; start all tasks with the same command`),
    );
    expect(await gathered).toBe("--shards hosts: task 1 on n1 was started otherwise than the first one");
  }
});

/** Two ends of a connection. */
async function connection(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, "127.0.0.1");
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  await new Promise((resolve) => server.once("listening", resolve));
  const one = connect((server.address() as { port: number }).port, "127.0.0.1");
  const other = await accepted;
  server.close();
  return [one, other];
}

test("a line carries messages in pieces, and is lost where the other end is silent, or announces too much", async () => {
  const [one, other] = await connection();
  const [line, end] = [new SocketLine<unknown, unknown>(one, "one"), new SocketLine<unknown, unknown>(other, "other")];
  const heard: unknown[] = [];
  const lost = new Promise<string>((resolve) => {
    end.listen((message) => heard.push(message), resolve);
  });
  const messages = [{ v: new Float64Array(100_000).fill(7) }, ["two"], 3];
  for (const message of messages) line.send(message);
  end.expectBeats(10);
  line.beat(10);
  await setTimeout(3 * BEAT.missing * 10);
  expect(heard).toEqual(messages);
  expect(end.ended).toBeNull();
  one.write(Buffer.from([255, 255, 255, 255]));
  expect(await lost).toBe("other: it announced 4294967295 bytes");
  const [quiet, listening] = await connection();
  const waiting = new SocketLine<unknown, unknown>(listening, "n1");
  waiting.expectBeats(1);
  expect(await new Promise((resolve) => waiting.listen(() => {}, resolve))).toMatch(/^n1: nothing was heard of it/);
  quiet.destroy();
  // An end that meets an error is one, too.
  const [gone, left] = await connection();
  const leaving = new SocketLine<unknown, unknown>(left, "n1").end();
  left.destroy(new Error("write ECONNRESET"));
  await expect(leaving).resolves.toBeUndefined();
  gone.destroy();
});

test("outside of tasks, without a folder for them to meet, and of a pipe one line says what is missing", async () => {
  const solving = ["solve", join(scenarios, "tiny.json"), "--shards", "hosts"];
  const folder = join(parent, "none");
  expect(await refuses(solving)).toMatch(/give -o FOLDER on a disk that all share/);
  expect(await refuses([...solving, "-o", folder])).toMatch(/none of two or more tasks; start it by srun/);
  expect(await refuses([...solving, "-o", folder], { env: asTask(2, 2) })).toMatch(/none of two or more tasks/);
  const piped = ["solve", "-", "--shards", "hosts", "-o", folder];
  expect(await refuses(piped, { env: asTask(0, 2) })).toMatch(/a pipe is read by one task alone/);
  expect(await refuses(["solve", "-", "--shards", "guests"])).toMatch(/Give an integer from 2 to 256, or hosts\./);
});
