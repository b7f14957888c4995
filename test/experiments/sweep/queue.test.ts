import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Queue } from "bullmq";
import { describe, expect, test } from "vitest";
import { planSweep } from "../../../src/experiments/sweep/plan.js";
import { connectionTo, queueName, withPassword } from "../../../src/experiments/sweep/queue.js";
import { readRows } from "../../../src/rows/results.js";
import { onlyObject, refuses, rmap, succeeds } from "../../cli/rmap.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";
import { installed, required, startServer, useServer } from "./redis.js";
import { lines, rowsOf, slow, small, start, sweepHere, until } from "./support.js";

const parent = temporaryFolder();

if (!installed) {
  const what = "redis-server is not installed (Debian: apt-get install redis-server): rmap sweep --queue is NOT tested";
  if (!required) process.stderr.write(`\n${what}\n\n`);
  test.skipIf(!required)(what, () => expect.unreachable(what));
}

describe.skipIf(!installed)("a queue", () => {
  const { server, begin, worker, quickWorker } = useServer(parent);

  test("worker killed in mid-run, server and sweep killed and started again: the rows of a local sweep", async () => {
    const cwd = folderWith(parent, { "s.json": JSON.stringify(slow(6, 30, 24)) });
    const file = join(cwd, "rows.jsonl");
    const args = ["sweep", "s.json", "--append", "rows.jsonl", "--queue", server.url, "--json"];
    const first = start(args, cwd);
    const [doomed] = [quickWorker(), quickWorker()];
    await until(() => doomed.heard.stdout.includes("\n") && lines(file) >= 1, "a row of the first worker");
    doomed.child.kill("SIGKILL");
    await server.restart();
    first.child.kill("SIGKILL");
    await first.ended;
    const there = lines(file);
    expect(there).toBeLessThan(6);
    expect(onlyObject(await succeeds(args, { cwd }))).toMatchObject({ already: there, made: 6 - there, failed: 0 });
    expect(lines(file)).toBe(6);
    await sweepHere(cwd, "local.jsonl");
    expect(rowsOf(file)).toEqual(rowsOf(join(cwd, "local.jsonl")));
    // Nothing of it stays at the server.
    const queue = new Queue(queueName(), { connection: connectionTo(server.url) });
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
    await arrived(server.url);
    for (const [where, failed] of [
      [cwd, 4],
      [folder, 0],
    ] as const) {
      const queued = ["sweep", "s.json", "--append", "rows.jsonl", "--queue", server.url, "--json"];
      expect(onlyObject(await succeeds(queued, { cwd: where }))).toMatchObject({ failed });
      await sweepHere(where, "local.jsonl");
      expect(rowsOf(join(where, "rows.jsonl"))).toEqual(rowsOf(join(where, "local.jsonl")));
    }
  });

  test("what is no run, or was made with other defaults, fails and is not executed; the worker goes on", async () => {
    const cwd = folderWith(parent, { "s.json": JSON.stringify({ ...small, seeds: [1] }) });
    const [{ task }] = planSweep(join(cwd, "s.json")).runs;
    const queue = new Queue(queueName(), { connection: connectionTo(server.url) });
    const bad = {
      code: { ...task, run: "process.exit()" },
      key: { ...task, key: "x" },
      version: { ...task, version: "0.0.1" },
      revision: { ...task, revision: `${task.revision}0` },
      folder: { ...task, scenario: { name: "i", instance: { folder: "/etc" } } },
    };
    for (const [name, data] of Object.entries(bad)) await queue.add(name, data, { jobId: name });
    await queue.add("run", { ...task, scenario: { ...task.scenario, seed: 99 } }, { jobId: "altered" });
    await queue.add(
      "run",
      { ...task, key: task.key, recording: null, scenario: { name: "f", detections: { file: "/etc/passwd" } } },
      { jobId: "path" },
    );
    const { heard, child, ended } = worker();
    await arrived(server.url);
    await succeeds(["sweep", "s.json", "--append", "rows.jsonl", "--queue", server.url], { cwd });
    const reason = async (id: string) => (await queue.getJob(id))?.failedReason;
    expect(await reason("code")).toMatch(/this is no run: .*run/);
    expect(await reason("key")).toMatch(/this is no run: key give 32 hexadecimal digits/);
    expect(await reason("version")).toMatch(/queued by rmap 0\.0\.1 .*, and this worker is rmap .*; use one on both/);
    expect(await reason("revision")).toMatch(/queued by rmap .*, and this worker is/);
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

  test("broken JSON fails its own run, at the worker and in the sweep", async () => {
    const cwd = folderWith(parent, { "s.json": JSON.stringify({ ...slow(4, 30), name: "broken" }) });
    const file = join(cwd, "rows.jsonl");
    const queue = new Queue(queueName(), { connection: connectionTo(server.url) });
    const client = await queue.client;
    // The worker is there before the sweep, which would miss it otherwise, and begins when jobs are broken.
    await queue.pause();
    const { heard } = worker();
    await polled(
      () => queue.getWorkersCount(),
      (count) => count > 0,
    );
    // A stranger's job, and one of the sweep's own.
    const stranger = await queue.add("run", {}, { jobId: "stranger" });
    const sweep = start(["sweep", "s.json", "--append", "rows.jsonl", "--queue", server.url, "--json"], cwd);
    const ids = async () => (await queue.getRanges(["waiting", "paused"], 0, -1)).filter((id) => id !== stranger.id);
    const own = await polled(ids, (all) => all.length === 4);
    await client.hset(queue.toKey(own[0]), { data: "{" });
    await client.hset(queue.toKey("stranger"), { data: "]" });
    await queue.resume();
    expect({ code: await sweep.ended, stderr: sweep.heard.stderr }).toEqual({ code: 0, stderr: "" });
    expect(onlyObject(sweep.heard.stdout)).toMatchObject({ made: 4, failed: 1 });
    expect(readRows(file).find(({ status }) => status === "failed")?.error).toMatch(/broken.*JSON|no run/);
    expect(heard.stderr).toBe("");
    await queue.obliterate({ force: true });
    await queue.close();
  });

  test("a row that cannot be the run's becomes a failed one", async () => {
    const cwd = folderWith(parent, { "s.json": JSON.stringify({ ...small, name: "tampered", seeds: [1] }) });
    const file = join(cwd, "rows.jsonl");
    const queue = new Queue(queueName(), { connection: connectionTo(server.url) });
    const client = await queue.client;
    const args = ["sweep", "s.json", "--append", "rows.jsonl", "--queue", server.url, "--json"];
    // The runs are made while no sweep looks, and altered before the next one does.
    const first = start(args, cwd);
    const own = await polled(
      () => queue.getRanges(["waiting"], 0, -1),
      (all) => all.length === 6,
    );
    first.child.kill("SIGKILL");
    await first.ended;
    worker();
    await polled(
      () => queue.getRanges(["completed"], 0, -1),
      (all) => all.length === 6,
    );
    const altered: string[] = [];
    for (const id of own) {
      const row = JSON.parse((await client.hget(queue.toKey(id), "returnvalue")) as string);
      if (row.status === "failed") continue;
      const lies = [{ lowerBound: row.upperBound + 1 }, { revision: "other" }, { frames: 7 }];
      const text = altered.length < 3 ? JSON.stringify({ ...row, ...lies[altered.length] }) : "{";
      await client.hset(queue.toKey(id), { returnvalue: text });
      altered.push(id);
    }
    expect(altered).toHaveLength(4);
    expect(onlyObject(await succeeds(args, { cwd }))).toMatchObject({ made: 6, failed: 6 });
    const errors = readRows(file).map(({ error }) => error ?? "");
    for (const words of [
      /lower bound .* is above/,
      /made by rmap .* \(revision other\)/,
      /detections are/,
      /result row/,
    ]) {
      expect(
        errors.filter((error) => words.test(error)),
        String(words),
      ).toHaveLength(1);
    }
    await queue.close();
  });

  test("the worker's limit ends a run that has none; a sweep without a worker says so", async () => {
    // Fewer targets are solved, or stall, within the second.
    const cwd = folderWith(parent, { "s.json": JSON.stringify({ ...slow(2, 1_000_000, 60), name: "endless" }) });
    const sweep = start(["sweep", "s.json", "--append", "rows.jsonl", "--queue", server.url, "--json"], cwd);
    await until(() => sweep.heard.stderr.includes("\n"), "a word about workers");
    expect(sweep.heard.stderr).toMatch(/^rmap: no worker of rmap \S+ \(.*\) is at redis:\/\/\S+; start one/);
    worker("--time", "1");
    expect(await sweep.ended).toBe(0);
    const errors = readRows(join(cwd, "rows.jsonl")).map(({ error }) => error);
    expect(errors).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/took longer than the 1 s/)));
  });

  test("the password comes from the environment", async () => {
    const secret = "a:b/c@d %";
    const locked = await startServer(folderWith(parent, {}), secret);
    try {
      const cwd = folderWith(parent, { "s.json": JSON.stringify({ ...small, name: "locked" }) });
      const args = ["sweep", "s.json", "--append", "rows.jsonl", "--queue", locked.url];
      expect(await refuses(args, { cwd })).toMatch(/cannot be reached .*RMAP_QUEUE_PASSWORD/);
      const env = { RMAP_QUEUE_PASSWORD: secret };
      begin(["worker", "--queue", locked.url, "--jobs", "1"], cwd, env);
      await succeeds(args, { cwd, env });
      expect(readRows(join(cwd, "rows.jsonl"))).toHaveLength(12);
    } finally {
      await locked.stop();
    }
    expect(withPassword("redis://:own@h", "other")).toBe("redis://:own@h");
  });

  test("an instance folder does not travel", async () => {
    const cwd = folderWith(parent, { "pairs.csv": "frame,i,j,cost\n0,0,0,1\n" });
    const sweep = { name: "i", base: { name: "i", instance: { folder: "." } }, grid: { "solve.gap": [0, 1] } };
    const away = folderWith(cwd, {
      "s.json": JSON.stringify({ ...sweep, base: { name: "i", instance: { folder: ".." } } }),
    });
    const args = ["sweep", "s.json", "--append", "rows.jsonl"];
    expect(await refuses([...args, "--queue", server.url], { cwd: away })).toMatch(
      /an instance folder does not travel/,
    );
    expect((await rmap(args, { cwd: away })).code).toBe(0);
  });
});

/** Asks the server until the answer is right, with pauses, since the programs under test need the processor. */
async function polled<T>(ask: () => Promise<T>, isRight: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isRight(answer)) return answer;
    await setTimeout(20);
  }
}

/** Waits for a worker at the server: a sweep that begins before says that there is none, which depends on how busy the machine is. */
async function arrived(url: string): Promise<void> {
  const queue = new Queue(queueName(), { connection: connectionTo(url) });
  await polled(
    () => queue.getWorkersCount(),
    (count) => count > 0,
  );
  await queue.close();
}

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
