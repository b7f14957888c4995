import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readRows } from "../../../src/rows/results.js";
import { onlyObject, program, refuses, succeeds } from "../../cli/rmap.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";
import { wandering } from "../../run/windows/wandering.js";
import { installed, required, useCluster } from "./slurm-cluster.js";
import { lines, rowsOf, slow, small, sweepHere, until } from "./support.js";

const parent = temporaryFolder();

/** A folder with the script of a sweep, s.sh. */
async function folderWithScript(sweep: object, ...options: string[]): Promise<string> {
  const cwd = folderWith(parent, { "s.json": JSON.stringify(sweep) });
  writeFileSync(join(cwd, "s.sh"), await succeeds(["slurm", "s.json", ...options], { cwd }));
  return cwd;
}

const script = (cwd: string) => readFileSync(join(cwd, "s.sh"), "utf8");

describe("rmap slurm", () => {
  test("asks for the time and memory of the runs, which grow with them, with the cores and with fewer shards", async () => {
    const limits = async (targets: number, ...options: string[]) => {
      const base = { name: "b", simulation: { targets, frames: 100 } };
      const sweep = { name: "b", base, grid: { cost: ["spline"] }, seeds: { from: 1, count: 32 } };
      const cwd = folderWith(parent, { "s.json": JSON.stringify(sweep) });
      const { script } = onlyObject(await succeeds(["slurm", "s.json", "--json", ...options], { cwd }));
      const [, days, hours, minutes] = /--time=(\d+)-(\d+):(\d+)\n/.exec(script as string) ?? [];
      const [, megabytes] = /--mem=(\d+)M\n/.exec(script as string) ?? [];
      const [, seconds, mebibytes] =
        /expects (\S+) s and (\d+) MiB of a run, .* of 5 that/.exec(script as string) ?? [];
      const shard = { seconds: 60 * (Number(minutes) + 60 * (Number(hours) + 24 * Number(days))) };
      return {
        seconds: Number(seconds),
        bytes: 2 ** 20 * Number(mebibytes),
        shard: { ...shard, bytes: 2 ** 20 * Number(megabytes) },
      };
    };
    const [few, many] = [await limits(10, "--shards", "4"), await limits(100, "--shards", "4")];
    for (const { seconds, bytes, shard } of [few, many]) {
      expect(shard.seconds).toBeGreaterThan(8 * seconds);
      expect(shard.bytes).toBeGreaterThan(bytes);
    }
    expect(many.seconds).toBeGreaterThan(few.seconds);
    expect(many.bytes).toBeGreaterThan(few.bytes);
    expect((await limits(100, "--shards", "2")).shard.seconds).toBeGreaterThan(many.shard.seconds);
    expect((await limits(100, "--shards", "4", "--cpus", "2")).shard.bytes).toBeGreaterThan(many.shard.bytes);
  });

  test("states a card for --device gpu, and names with spaces as bash reads them", async () => {
    const cwd = await folderWithScript({ ...small, name: "it's a sweep" }, "--device", "gpu", "-o", "my rows");
    expect(script(cwd)).toMatch(/^#SBATCH --gres=gpu:1$/m);
    expect(script(cwd)).toMatch(/^#SBATCH --output='my rows\/shard-%a\.log'$/m);
    expect(script(cwd)).toMatch(/ --append ".*" --device gpu --jobs 1 &$/m);
    expect(script(cwd)).toMatch(/^out='my rows'$/m);
  });

  test("gives V8 as many threads as a task of windows has, where that is more than it takes", async () => {
    const cwd = folderWith(parent, { "d.csv": wandering(30) });
    const made = (cpus: string) => succeeds(["slurm", "d.csv", "--window", "12", "--cpus", cpus], { cwd });
    expect(await made("16")).toMatch(/^export NODE_OPTIONS="\$NODE_OPTIONS --v8-pool-size=16"$/m);
    expect(await made("4")).not.toContain("NODE_OPTIONS");
  });

  test("refuses what is neither a sweep nor a recording, and a card for windows", async () => {
    const cwd = folderWith(parent, { "r.csv": "frame,x,y\n", "s.json": "{}", "d.csv": wandering(3) });
    expect(await refuses(["slurm", "r.csv"], { cwd })).toMatch(/^rmap: r\.csv: has 0 frames, but a link needs two/);
    expect(await refuses(["slurm", "-"], { cwd })).toMatch("-: tasks cannot read it; name a file");
    expect(await refuses(["slurm", "s.json"], { cwd })).toMatch(/^rmap: s\.json:1, name: is missing/);
    expect(await refuses(["slurm", "s.json", "--window", "9"], { cwd })).toMatch(
      "--window: s.json is a sweep, and only recordings have windows; leave it out",
    );
    for (const device of ["gpu", "software"])
      expect(await refuses(["slurm", "d.csv", "--device", device], { cwd })).toMatch(
        /--device: windows are solved on the CPU/,
      );
  });
});

if (!installed) {
  const what = "Slurm is not installed (Debian: apt-get install slurmctld slurmd slurm-client munge): NOT tested on it";
  if (!required) process.stderr.write(`\n${what}\n\n`);
  test.skipIf(!required)(what, () => expect.unreachable(what));
}

describe.skipIf(!installed)("on a Slurm of two nodes", () => {
  const { run, queued, ended, lose } = useCluster(parent);

  test("the script is accepted, and makes the rows of a local sweep, one core a task, and a report", async () => {
    const name = "it's 5 %a of $HOME";
    const cwd = await folderWithScript(small, "--shards", "3", "--at-once", "2", "-o", name);
    run("sbatch", ["--test-only", "s.sh"], cwd);
    run("bash", ["s.sh"], cwd);
    await ended();
    const out = join(cwd, name);
    const shards = [1, 2, 3].flatMap((k) => [`rows.${k}.jsonl`, `shard-${k}.log`]);
    expect(readdirSync(out).sort()).toEqual(["merge.log", "report.html", "rows.jsonl", ...shards].sort());
    expect(readFileSync(join(out, "merge.log"), "utf8")).toMatch(/^small: 12 of 12 runs from 3 files, 4 failed/);
    const rows = readRows(join(out, "rows.jsonl"));
    expect(new Set(rows.map(({ cores }) => cores))).toEqual(new Set([1]));
    await sweepHere(cwd, "local.jsonl");
    expect(rowsOf(join(out, "rows.jsonl"))).toEqual(rowsOf(join(cwd, "local.jsonl")));
  });

  test("a recording of 40 windows, of whose tasks one is preempted, one is killed and one loses its node: the tracks and bound of one process, to the byte", {
    timeout: 300_000,
  }, async () => {
    const cwd = folderWith(parent, { "d.csv": wandering(480) });
    const options = ["--window", "12"];
    writeFileSync(
      join(cwd, "s.sh"),
      await succeeds(["slurm", "d.csv", ...options, "--shards", "4", "-o", "out"], { cwd }),
    );
    run("sbatch", ["--test-only", "s.sh"], cwd);
    await succeeds(["solve", "d.csv", ...options, "--threads", "1", "-q", "-o", "local"], { cwd });
    run("bash", ["s.sh"], cwd);
    /** Halts the process of a shard, another one than `before`, so that it does not end by itself. */
    const hold = async (shard: number, before = 0): Promise<number> => {
      const found = () => shardsOf(cwd, `--shard ${shard}/4`).filter((pid) => pid !== before);
      await until(() => found().length > 0, `shard ${shard}`, 120_000, 200);
      const [pid] = found();
      process.kill(pid, "SIGSTOP");
      return pid;
    };
    const held = await Promise.all([1, 2, 3, 4].map((shard) => hold(shard)));
    const nodeOf = new Map(queued("%K %N").map((job) => job.split(" ") as [string, string]));
    await lose(nodeOf.get("1") as string);
    const other = [...nodeOf].find(([, node]) => /^n/.test(node) && node !== nodeOf.get("1")) as [string, string];
    run("sbatch", ["--partition=urgent", "--exclusive", `--nodelist=${other[1]}`, "--wrap=true", "--output=/dev/null"]);
    const shard = Number(other[0]);
    process.kill(await hold(shard, held[shard - 1]), "SIGKILL");
    await ended();
    for (const file of ["tracks.csv", "windows.jsonl"])
      expect(readFileSync(join(cwd, "out", file), "utf8")).toBe(readFileSync(join(cwd, "local", file), "utf8"));
    const bounds = (folder: string) => {
      const { lowerBound, upperBound, iterations } = JSON.parse(readFileSync(join(cwd, folder, "result.json"), "utf8"));
      return { lowerBound, upperBound, iterations };
    };
    expect(bounds("out")).toEqual(bounds("local"));
  });

  test("one srun over both nodes shares an ascent: the tracks and bound of two processes of one machine, to the byte", async () => {
    const cwd = folderWith(parent, { "d.csv": wandering(40) });
    const solving = ["solve", "d.csv", "--iterations", "20", "--device", "cpu", "--threads", "1"];
    const tasks = [
      "--nodes=2",
      "--ntasks=2",
      process.execPath,
      program,
      ...solving,
      "--shards",
      "hosts",
      "-o",
      "hosts",
    ];
    expect(run("srun", tasks, cwd)).toMatch(/2 × cpu f64 on n1, n2, 1 thread/);
    await succeeds([...solving, "--shards", "2", "-q", "-o", "here"], { cwd });
    const [hosts, here] = ["hosts", "here"].map(
      (folder) => (name: string) => readFileSync(join(cwd, folder, name), "utf8"),
    );
    for (const name of ["tracks.csv", "proof.json"]) expect(hosts(name)).toBe(here(name));
    expect(readdirSync(join(cwd, "hosts"))).toEqual(readdirSync(join(cwd, "here")));
    const bound = (text: string) => JSON.parse(text).lowerBound;
    expect(bound(hosts("result.json"))).toBe(bound(here("result.json")));
  });

  /** Numbers of the processes in a folder whose command lines have a text. */
  function shardsOf(cwd: string, text: string): number[] {
    const { stdout } = spawnSync("pgrep", ["-f", "--", text], { encoding: "utf8" });
    const pids = stdout.split("\n").filter(Boolean).map(Number);
    return pids.filter((pid) => existsSync(`/proc/${pid}/cwd`) && readlinkSync(`/proc/${pid}/cwd`) === cwd);
  }

  /** Halts the process of a shard of three runs once it has made one, so that no signal comes after its end; its number. */
  async function heldMidway(cwd: string, out: string, shard: number): Promise<number> {
    const rows = join(out, `rows.${shard}.jsonl`);
    await until(() => lines(rows) >= 1, `a row of shard ${shard}`, 120_000);
    const [pid] = shardsOf(cwd, `sweep s.json --shard ${shard}/3`);
    process.kill(pid, "SIGSTOP");
    expect(lines(rows)).toBeLessThan(3);
    return pid;
  }

  /** Whether a signal waits for a halted process, or has ended it. */
  function isSignalled(pid: number): boolean {
    const status = `/proc/${pid}/status`;
    if (!existsSync(status)) return true;
    const pending = Number.parseInt(/^ShdPnd:\s*(\w+)/m.exec(readFileSync(status, "utf8"))?.[1] ?? "0", 16);
    // SIGCHLD waits too where a child has ended.
    return (pending & (1 << (constants.signals.SIGTERM - 1))) !== 0;
  }

  test("tasks near their limit or requeued go on, the script given again makes what a killed one left", {
    timeout: 300_000,
  }, async () => {
    const cwd = await folderWithScript(slow(9, 200, 40), "--shards", "3");
    const out = join(cwd, "slow");
    const log = (name: string) => (existsSync(join(out, name)) ? readFileSync(join(out, name), "utf8") : "");
    run("bash", ["s.sh"], cwd);
    const [near, requeued, killed] = await Promise.all([1, 2, 3].map((shard) => heldMidway(cwd, out, shard)));
    const [array] = queued().flatMap((job) => /^(\d+)_1 /.exec(job)?.[1] ?? []);
    run("scancel", ["--signal=USR1", "--batch", `${array}_1`]);
    run("scontrol", ["requeue", `${array}_2`]);
    process.kill(killed, "SIGKILL");
    for (const pid of [near, requeued]) {
      await until(() => isSignalled(pid), "the signal of a task");
      if (existsSync(`/proc/${pid}`)) process.kill(pid, "SIGCONT");
    }
    await ended();
    expect(log("shard-1.log")).toMatch(/ left: the same command goes on\n[\s\S]*3 runs, \d were there, \d made in /);
    expect(log("shard-2.log")).toMatch(/3 runs, \d were there, \d made in /);
    expect(log("merge.log")).toMatch(
      /missing {5}\w+ seed=\d\n[\s\S]*rmap: \d of 9 runs are missing; make their shards/,
    );
    run("bash", ["s.sh"], cwd);
    await ended();
    expect(log("merge.log")).toMatch(/slow: 9 of 9 runs from 3 files\n/);
    await sweepHere(cwd, "local.jsonl");
    expect(rowsOf(join(out, "rows.jsonl"))).toEqual(rowsOf(join(cwd, "local.jsonl")));
  });
});
