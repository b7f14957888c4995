import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readRows } from "../../../src/rows/results.js";
import { succeeds } from "../../cli/rmap.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";
import { wandering } from "../../run/windows/wandering.js";
import { installed, required, useCluster } from "./slurm-cluster.js";
import { rowsOf, small, sweepHere } from "./support.js";

const parent = temporaryFolder();

const CLOCK = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
const HOUR = 3600;

/** A line for a script: the clock of a task's processes is an hour ahead. libuv waits by the other clock. */
const hourAhead = (task: number, file: string) =>
  `if [ "$SLURM_ARRAY_TASK_ID" = ${task} ]; then export LD_PRELOAD=${CLOCK} FAKETIME=+1h DONT_FAKE_MONOTONIC=1; date +%s > ${file}; fi\n`;

describe.skipIf(!installed)("faults of a Slurm", { timeout: 300_000 }, () => {
  const { run, queued, ended } = useCluster(parent);
  const mounted: string[] = [];
  afterAll(() => {
    for (const folder of mounted) spawnSync("umount", [folder]);
  });

  /** A folder with a script, s.sh, whose tasks begin with some lines more. */
  async function folderWithScript(input: string, content: string, lines: string, ...options: string[]) {
    const cwd = folderWith(parent, { [input]: content });
    const script = await succeeds(["slurm", input, "-o", "out", ...options], { cwd });
    writeFileSync(join(cwd, "s.sh"), script.replace(/\ncase \$1 in\n/, `\n${lines}$&`));
    return cwd;
  }

  const window = ["--window", "12"];
  const read = (cwd: string, name: string) => readFileSync(join(cwd, name), "utf8");

  async function expectTracksOfOneProcess(cwd: string): Promise<void> {
    await succeeds(["solve", "d.csv", ...window, "--threads", "1", "-q", "-o", "local"], { cwd });
    for (const file of ["tracks.csv", "windows.jsonl"])
      expect(read(cwd, join("out", file))).toBe(read(cwd, join("local", file)));
    const bounds = (folder: string) => {
      const { lowerBound, upperBound, iterations } = JSON.parse(read(cwd, join(folder, "result.json")));
      return { lowerBound, upperBound, iterations };
    };
    expect(bounds("out")).toEqual(bounds("local"));
  }

  test.skipIf(!existsSync(CLOCK) && !required)(
    "a task that takes more memory than it has, and one whose clock is an hour ahead: the tracks and bound of one process, to the byte",
    async () => {
      const lines = hourAhead(2, "clock");
      const cwd = await folderWithScript("d.csv", wandering(120), lines, ...window, "--shards", "3");
      // No task begins before one of them has been given too little.
      run("scontrol", ["update", "partitionname=p", "state=down"]);
      run("bash", ["s.sh"], cwd);
      const array = queued("%F %K").find((job) => / 3$/.test(job)) as string;
      run("scontrol", ["update", `jobid=${array.split(" ")[0]}_3`, "MinMemoryNode=30"]);
      run("scontrol", ["update", "partitionname=p", "state=up"]);
      await ended();
      expect(read(cwd, "out/shard-3.log")).toMatch(/exceeded memory limit/i);
      expect(Number(read(cwd, "clock"))).toBeGreaterThan(Date.now() / 1000 + HOUR / 2);
      await expectTracksOfOneProcess(cwd);
    },
  );

  test("a full disk: once there is room, the script given again makes the tracks and bound of one process, to the byte", async () => {
    const cwd = await folderWithScript("d.csv", wandering(120), "", ...window, "--shards", "3");
    const out = join(cwd, "out");
    mkdirSync(out);
    const mount = (size: string, ...more: string[]) =>
      spawnSync("mount", ["-t", "tmpfs", "-o", [...more, `size=${size}`].join(), "tmpfs", out]).status === 0;
    if (!mount("128k")) {
      process.stderr.write("\nonly root can mount a disk: a full one is NOT tested\n\n");
      return;
    }
    mounted.push(out);
    run("bash", ["s.sh"], cwd);
    await ended();
    expect(existsSync(join(out, "result.json"))).toBe(false);
    expect(mount("64m", "remount")).toBe(true);
    run("bash", ["s.sh"], cwd);
    await ended();
    await expectTracksOfOneProcess(cwd);
  });

  test.skipIf(!existsSync(CLOCK) && !required)(
    "a sweep, the clock of one task an hour ahead: the rows of a local one",
    async () => {
      const lines = hourAhead(2, "clock");
      const cwd = await folderWithScript("s.json", JSON.stringify(small), lines, "--shards", "3");
      run("bash", ["s.sh"], cwd);
      await ended();
      const ahead = readRows(join(cwd, "out", "rows.2.jsonl")).map(({ date }) => Date.parse(`${date}`) - Date.now());
      expect(Math.min(...ahead)).toBeGreaterThan((1000 * HOUR) / 2);
      await sweepHere(cwd, "local.jsonl");
      expect(rowsOf(join(cwd, "out", "rows.jsonl"))).toEqual(rowsOf(join(cwd, "local.jsonl")));
    },
  );
});
