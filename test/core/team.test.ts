import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { openCrew } from "../../src/core/team.js";
import { LapPool } from "../../src/experiments/naive/lap-pool.js";

/** Worker threads run the built files: `npm run build` comes before this test. */
const pool = (cost: number[], threads: number) => LapPool.create(Float32Array.from(cost), 2, cost.length / 4, threads);
const many = Array.from({ length: 4000 }, (_, k) => (k * 7919) % 13);

test.each([2, 3, 7])("every item is done once, on %d threads, task after task", async (threads) => {
  const [one, several] = [pool(many, 1), pool(many, threads)];
  await one.solve();
  for (let round = 0; round < 50; round++) {
    several.solutions.columnOfRow.fill(-1);
    await several.solve();
    expect(several.solutions).toEqual(one.solutions);
  }
  one.close();
  several.close();
});

test("a task that begins while another runs stays on the calling thread, and both are done", async () => {
  const pools = [pool(many, 3), pool(many, 3)];
  await Promise.all(pools.map((each) => each.solve()));
  expect(pools[0].solutions).toEqual(pools[1].solutions);
  expect(pools[0].solutions.columnOfRow).not.toContain(-1);
  for (const each of pools) each.close();
});

test("an item that fails ends its task with its error, wherever it was, and the threads go on with the next task", async () => {
  const bad = pool(many, 3);
  const good = pool(many, 3);
  // No column is left for a row.
  bad.problems.column.fill(0);
  await expect(bad.solve()).rejects.toThrow(/dense LAP \d+ is infeasible/);
  await good.solve();
  expect(good.solutions.columnOfRow).not.toContain(-1);
  bad.close();
  good.close();
});

test("where the calling thread's item and those of others fail, the next task hears of none", async () => {
  const bad = pool(many, 3);
  bad.problems.column.fill(0);
  // The others have failed by the time that the calling thread does.
  const failLate = () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    throw new Error("its own");
  };
  const crew = openCrew(3, "#lap-worker", { problems: bad.problems, solutions: bad.solutions }, failLate);
  // On a busy machine a task may be over before the calling thread has an item.
  let failure: unknown;
  while (failure !== "its own") failure = await crew.run(0, 2000).catch(({ message }: Error) => message);
  const good = pool(many, 3);
  await good.solve();
  crew.close();
  good.close();
});

test("a thread that cannot make its work ends the task with an error", async () => {
  const sleep = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  const crew = openCrew(2, "#lap-worker", { problems: { rowOffset: [0, -1] } }, sleep);
  await expect(crew.run(0, 2000)).rejects.toThrow(/Invalid typed array length/);
  crew.close();
});

test("threads that wait for work do not keep a program from its end", () => {
  const team = new URL("../../dist/core/team.js", import.meta.url);
  const program = `import { openCrew } from ${JSON.stringify(team.href)};
    const crew = openCrew(3, "#lap-worker", { problems: { rowOffset: [0, 2] } }, () => {});
    await crew.run(0, 9);
    console.log("done");`;
  const answer = execFileSync(process.execPath, ["--input-type=module", "-e", program], { timeout: 20_000 });
  expect(answer.toString()).toBe("done\n");
});
