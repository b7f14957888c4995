import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Queue } from "bullmq";
import { describe, expect, test } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { connectionTo, queueName } from "../../../src/experiments/sweep/queue.js";
import { refuses, succeeds } from "../../cli/rmap.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";
import { installed, required, useServer } from "./redis.js";

const parent = temporaryFolder();

/** Targets that wander and are missed now and then, so close together that windows take their iterations. */
function crowd(frames: number): string {
  const random = randomStreams(7).next().value;
  const at = Array.from({ length: 14 }, () => [random.uniform(0, 12), random.uniform(0, 12)]);
  const rows: string[] = [];
  for (let p = 0; p < frames; p++) {
    for (const place of at) {
      for (const axis of [0, 1]) place[axis] += 0.4 + random.normal();
      if (random.uniform(0, 1) < 0.9) rows.push(`${p},${place.map((value) => value.toFixed(3)).join()}`);
    }
  }
  return `# dt=1\nframe,x,y\n${rows.join("\n")}\n`;
}

const SOLVE = [
  "solve",
  "d.csv",
  "--window",
  "10",
  "--learn",
  "20",
  "--gap",
  "0",
  "--iterations",
  "300",
  "--threads",
  "2",
];

/** All that says how good the tracks are, and the tracks. */
function outcome(folder: string) {
  const row = JSON.parse(readFileSync(join(folder, "result.json"), "utf8"));
  const { queued, delay, ...windows } = row.windows;
  const text = ["tracks.csv", "windows.jsonl"].map((name) => readFileSync(join(folder, name), "utf8"));
  return { text, windows, bounds: [row.lowerBound, row.upperBound, row.iterations, row.edges] };
}

if (!installed && required) test("redis-server", () => expect.unreachable("redis-server is not installed"));

describe.skipIf(!installed)("windows at a queue", () => {
  const { server, begin, worker, quickWorker } = useServer(parent);

  test("a worker killed in mid-window, the server started again: the tracks and the bound of a local run", async () => {
    const cwd = folderWith(parent, { "d.csv": crowd(30) });
    await succeeds([...SOLVE, "-o", "local"], { cwd });
    const queue = new Queue(queueName(), { connection: connectionTo(server.url) });
    const run = begin([...SOLVE, "-o", "queued", "--queue", server.url], cwd);
    const doomed = quickWorker();
    let active: (string | undefined)[] = [];
    while (active.length === 0) {
      active = (await queue.getActive()).map(({ id }) => id);
      await setTimeout(5);
    }
    doomed.child.kill("SIGKILL");
    await doomed.ended;
    // It had begun, and did not end.
    expect(await queue.getJobState(active[0] as string)).toBe("active");
    await server.restart();
    quickWorker();
    expect({ code: await run.ended, stdout: run.heard.stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/3 of 10 frames, .*, 3 of them solved by workers of the queue/),
    });
    expect(outcome(join(cwd, "queued"))).toEqual(outcome(join(cwd, "local")));
    // Nothing of it stays at the server.
    const counts = await queue.getJobCounts();
    const kept = await (await queue.client).get(`${queueName()}-found-${active[0]}`);
    await queue.close();
    expect([kept, ...Object.values(counts).filter((count) => count > 0)]).toEqual([null]);
  });

  test("windows that no worker can solve are solved here, and said; a run without a worker says so", async () => {
    const cwd = folderWith(parent, { "d.csv": crowd(20) });
    const args = ["solve", "d.csv", "--window", "10", "--threads", "2", "-o"];
    const run = begin([...args, "queued", "--queue", server.url], cwd);
    while (!run.heard.stderr.includes("\n")) await setTimeout(20);
    expect(run.heard.stderr).toMatch(/^rmap: no worker of rmap \S+ \(.*\) is at redis:\/\/\S+; start one/);
    worker("--time", "0.001");
    expect(await run.ended).toBe(0);
    expect(run.heard.stderr).toMatch(/solved here: took longer than the 0.001 s/);
    const { notes, windows } = JSON.parse(readFileSync(join(cwd, "queued", "result.json"), "utf8"));
    expect(notes).toContain("Windows solved here, since a worker of the queue failed on them: 2.");
    expect(windows.queued).toBe(0);
    await succeeds([...args, "local"], { cwd });
    expect(outcome(join(cwd, "queued"))).toEqual(outcome(join(cwd, "local")));
  });

  test("Ctrl-C ends the wait for workers, with what was closed", async () => {
    const cwd = folderWith(parent, { "d.csv": crowd(20) });
    const run = begin(["solve", "d.csv", "--window", "10", "-o", "out", "--queue", server.url], cwd);
    const queue = new Queue(queueName(), { connection: connectionTo(server.url) });
    while ((await queue.getWaitingCount()) === 0) await setTimeout(20);
    run.child.kill("SIGINT");
    expect(await run.ended).toBe(130);
    await queue.obliterate({ force: true });
    await queue.close();
  });

  test("a server that is not there is refused before anything is touched, without its password", async () => {
    const cwd = folderWith(parent, { "d.csv": crowd(5) });
    const args = ["solve", "d.csv", "--window", "5", "--queue"];
    const said = await refuses([...args, "redis://:secret@127.0.0.1:1", "-o", "out"], { cwd });
    expect(said).toMatch(/cannot be reached \(ECONNREFUSED\); start redis-server there/);
    expect(said).not.toMatch(/secret/);
    expect(existsSync(join(cwd, "out", "tracks.csv"))).toBe(false);
    expect(await refuses(["solve", "d.csv", "--queue", server.url], { cwd })).toMatch(/--queue: is for windows/);
  });
});
