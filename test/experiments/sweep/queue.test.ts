import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { Queue } from "bullmq";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { planSweep } from "../../../src/experiments/sweep/plan.js";
import { connectionTo, QUEUE } from "../../../src/experiments/sweep/queue.js";
import { readRows } from "../../../src/rows/results.js";
import { onlyObject, refuses, rmap, succeeds } from "../../cli/rmap.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";
import { installed, required, type Server, startServer } from "./redis.js";
import { lines, type Running, rowsOf, slow, small, start, until } from "./support.js";

const parent = temporaryFolder();

if (!installed) {
  const what = "redis-server is not installed (Debian: apt-get install redis-server): rmap sweep --queue is NOT tested";
  if (!required) process.stderr.write(`\n${what}\n\n`);
  test.skipIf(!required)(what, () => expect.unreachable(what));
}

describe.skipIf(!installed)("a queue", () => {
  let server: Server;
  const running: Running[] = [];
  const worker = (...args: string[]): Running => {
    const started = start(["worker", "--queue", server.url, "--jobs", "1", ...args]);
    running.push(started);
    return started;
  };

  beforeAll(async () => {
    server = await startServer(folderWith(parent, {}));
  });
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill("SIGKILL");
      await ended;
    }
  });
  afterAll(() => server?.stop());

  test("worker killed in mid-run, server and sweep killed and started again: the rows of a local sweep", async () => {
    const cwd = folderWith(parent, { "s.json": JSON.stringify(slow(8, 30)) });
    const file = join(cwd, "rows.jsonl");
    const args = ["sweep", "s.json", "-o", "rows.jsonl", "--queue", server.url, "--json"];
    const first = start(args, cwd);
    const [doomed] = [worker(), worker()];
    await until(() => doomed.heard.stdout.includes("gap") && lines(file) >= 1, "a row of the first worker");
    doomed.child.kill("SIGKILL");
    await server.restart();
    first.child.kill("SIGKILL");
    await first.ended;
    const there = lines(file);
    expect(there).toBeLessThan(8);
    expect(onlyObject(await succeeds(args, { cwd }))).toMatchObject({ already: there, made: 8 - there, failed: 0 });
    expect(lines(file)).toBe(8);
    await succeeds(["sweep", "s.json", "-o", "local.jsonl"], { cwd });
    expect(rowsOf(file)).toEqual(rowsOf(join(cwd, "local.jsonl")));
    // Nothing of it stays at the server.
    const queue = new Queue(QUEUE, { connection: connectionTo(server.url) });
    const counts = await queue.getJobCounts();
    await queue.close();
    expect(Object.values(counts).filter((count) => count > 0)).toEqual([]);
  });

  test("carries failures, and recordings by their text", async () => {
    const cwd = folderWith(parent, { "s.json": JSON.stringify(small), "r.csv": recording });
    const recorded = { name: "r", base: { name: "r", detections: { file: "r.csv" } }, grid: { "gate.radius": [2, 3] } };
    const folder = folderWith(cwd, {
      "s.json": JSON.stringify({ ...recorded, base: { ...recorded.base, detections: { file: "../r.csv" } } }),
    });
    worker("--quiet");
    for (const [where, failed] of [
      [cwd, 4],
      [folder, 0],
    ] as const) {
      const queued = ["sweep", "s.json", "-o", "rows.jsonl", "--queue", server.url, "--json"];
      expect(onlyObject(await succeeds(queued, { cwd: where }))).toMatchObject({ failed });
      await succeeds(["sweep", "s.json", "-o", "local.jsonl"], { cwd: where });
      expect(rowsOf(join(where, "rows.jsonl"))).toEqual(rowsOf(join(where, "local.jsonl")));
    }
  });

  test("what is no run, or was made with other defaults, fails and is not executed; the worker goes on", async () => {
    const cwd = folderWith(parent, { "s.json": JSON.stringify({ ...small, seeds: [1] }) });
    const [{ task }] = planSweep(join(cwd, "s.json")).runs;
    const queue = new Queue(QUEUE, { connection: connectionTo(server.url) });
    const bad = {
      code: { ...task, run: "process.exit()" },
      key: { ...task, key: "x" },
      folder: { ...task, scenario: { name: "i", instance: { folder: "/etc" } } },
    };
    for (const [name, data] of Object.entries(bad)) await queue.add(name, data, { jobId: name });
    await queue.add("run", { ...task, scenario: { ...task.scenario, seed: 99 } }, { jobId: "altered" });
    await queue.add(
      "run",
      { key: task.key, recording: null, scenario: { name: "f", detections: { file: "/etc/passwd" } } },
      { jobId: "path" },
    );
    const { heard, child, ended } = worker();
    await succeeds(["sweep", "s.json", "-o", "rows.jsonl", "--queue", server.url], { cwd });
    const reason = async (id: string) => (await queue.getJob(id))?.failedReason;
    expect(await reason("code")).toMatch(/this is no run: .*run/);
    expect(await reason("key")).toMatch(/this is no run: key give 32 hexadecimal digits/);
    expect(await reason("folder")).toMatch(/a worker reads no folders/);
    expect((await queue.getJob("altered"))?.returnvalue).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/another version of rmap/),
    });
    expect((await queue.getJob("path"))?.returnvalue).toMatchObject({
      error: expect.stringMatching(/a recording comes with its content/),
    });
    await queue.obliterate({ force: true });
    await queue.close();
    expect(readRows(join(cwd, "rows.jsonl"))).toHaveLength(6);
    if (process.platform === "linux") expect(listening(child.pid as number)).toEqual([]);
    child.kill("SIGINT");
    expect({ code: await ended, stderr: heard.stderr }).toEqual({ code: 130, stderr: "" });
  });

  test("an instance folder does not travel", async () => {
    const cwd = folderWith(parent, { "pairs.csv": "frame,i,j,cost\n0,0,0,1\n" });
    const sweep = { name: "i", base: { name: "i", instance: { folder: "." } }, grid: { "solve.gap": [0, 1] } };
    const away = folderWith(cwd, {
      "s.json": JSON.stringify({ ...sweep, base: { name: "i", instance: { folder: ".." } } }),
    });
    const args = ["sweep", "s.json", "-o", "rows.jsonl"];
    expect(await refuses([...args, "--queue", server.url], { cwd: away })).toMatch(
      /an instance folder does not travel/,
    );
    expect((await rmap(args, { cwd: away })).code).toBe(0);
  });
});

const recording = "# dt=1\nframe,x,y,target\n0,0,0,1\n0,5,0,2\n1,1,0,1\n1,6,0,2\n2,2,0,1\n2,7,0,2\n3,3,0,1\n3,8,0,2\n";

/** Local addresses on which a process listens, as /proc/net/tcp has them. */
function listening(pid: number): string[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap(
      (fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [],
    ),
  );
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .flatMap(([, local, , state, , , , , , inode]) => (state === "0A" && sockets.has(inode) ? [local] : [])),
  );
}
