import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { folderWith } from "../../formats/support.js";
import { freePort, until } from "./support.js";

/** Whether Slurm is there; where it must be (.ci/run), its absence fails the tests instead of skipping them. */
export const installed = ["munged", "slurmctld", "slurmd", "sbatch"].every(
  (program) => spawnSync(program, ["-V"]).error === undefined,
);
export const required = process.env.RMAP_REQUIRE_SLURM === "1";

const NODES = ["n1", "n2"];

/** A Slurm of two nodes on this machine, as the user who runs the test, for all tests of a file; its files are in a folder below `parent`. */
export function useCluster(parent: string) {
  const running: ChildProcess[] = [];
  const daemonOf = new Map<string, ChildProcess>();
  let env: NodeJS.ProcessEnv = {};
  let beginNode: (node: string) => void;
  const run = (program: string, args: readonly string[], cwd?: string): string =>
    execFileSync(program, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const queued = (format = "%F_%K %T"): string[] =>
    run("squeue", ["-h", "-r", "-o", format]).split("\n").filter(Boolean);
  /** Ends a node's daemon and all that runs on it, as a loss of power does; then it comes back. */
  const lose = async (node: string) => {
    const daemon = daemonOf.get(node) as ChildProcess;
    const gone = new Promise((resolve) => daemon.once("close", resolve));
    daemon.kill("SIGKILL");
    await gone;
    running.splice(running.indexOf(daemon), 1);
    const jobs = queued("%A %N").filter((job) => job.endsWith(` ${node}`));
    for (const job of jobs) {
      const id = job.split(" ")[0];
      const steps = spawnSync("pgrep", ["-f", `slurmstepd: \\[${id}\\.`], { encoding: "utf8" }).stdout.split("\n");
      for (const step of steps.filter(Boolean).map(Number)) {
        for (const pid of [...descendants(step), step]) if (existsSync(`/proc/${pid}`)) process.kill(pid, "SIGKILL");
      }
    }
    run("scontrol", ["update", `nodename=${node}`, "state=down", "reason=lost"]);
    beginNode(node);
    run("scontrol", ["update", `nodename=${node}`, "state=resume"]);
  };
  const ended = () => until(() => queued().length === 0, "the end of all jobs", 240_000, 500);
  beforeAll(async () => {
    const folder = folderWith(parent, { key: randomBytes(1024) });
    writeFileSync(join(folder, "slurm.conf"), await configuration(folder));
    env = { ...process.env, SLURM_CONF: join(folder, "slurm.conf") };
    const begin = (program: string, args: readonly string[]) =>
      running.push(spawn(program, args, { env, stdio: "ignore" }));
    const at = (name: string) => join(folder, name);
    const munge = { "key-file": "key", socket: "munge", "pid-file": "pid", "log-file": "log", "seed-file": "seed" };
    run("chmod", ["700", folder]);
    run("chmod", ["600", at("key")]);
    const files = Object.entries(munge).map(([option, name]) => `--${option}=${at(name)}`);
    begin("munged", ["--foreground", "--force", ...files]);
    begin("slurmctld", ["-D"]);
    beginNode = (node) => {
      begin("slurmd", ["-D", "-N", node]);
      daemonOf.set(node, running[running.length - 1]);
    };
    for (const node of NODES) beginNode(node);
    const isIdle = () => {
      const { stdout } = spawnSync("sinfo", ["-h", "-N", "-p", "p", "-o", "%t"], { env, encoding: "utf8" });
      return stdout.split("\n").filter((state) => state === "idle").length === NODES.length;
    };
    await until(isIdle, "two idle nodes", 30_000, 200);
  });
  afterAll(async () => {
    if (running.length === 0) return;
    // Where a test failed; what runs jobs would outlive its daemon.
    run("scancel", ["--user", userInfo().username]);
    await ended();
    const gone = running.map((child) => new Promise((resolve) => child.once("close", resolve)));
    for (const child of running) child.kill("SIGTERM");
    await Promise.all(gone);
  });
  return { run, queued, ended, lose };
}

function descendants(pid: number): number[] {
  const { stdout } = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  const children = stdout.split("\n").filter(Boolean).map(Number);
  return children.flatMap((child) => [...descendants(child), child]);
}

/** Times are short: a job that was requeued may start again once its credential has expired. What takes more memory than it asked for is killed. */
async function configuration(folder: string): Promise<string> {
  const host = hostname().split(".")[0];
  const user = userInfo().username;
  const nodes: string[] = [];
  for (const node of NODES) {
    mkdirSync(join(folder, node));
    nodes.push(
      `NodeName=${node} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${await freePort()} CPUs=2 RealMemory=4000`,
    );
  }
  return `ClusterName=test
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${await freePort()}
AuthType=auth/munge
AuthInfo=socket=${folder}/munge,cred_expire=5
SlurmUser=${user}
SlurmdUser=${user}
StateSaveLocation=${folder}
SlurmdSpoolDir=${folder}/%n
SlurmctldPidFile=${folder}/ctl.pid
SlurmdPidFile=${folder}/%n.pid
SlurmctldLogFile=${folder}/ctl.log
SlurmdLogFile=${folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=batch_sched_delay=1,sched_interval=1,sched_min_interval=1,bf_interval=1
KillWait=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
${nodes.join("\n")}
PartitionName=p Nodes=${NODES.join()} Default=YES MaxTime=INFINITE State=UP
PartitionName=urgent Nodes=${NODES.join()} MaxTime=INFINITE State=UP PriorityTier=10
`;
}
