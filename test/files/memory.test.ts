import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { usableCores } from "../../src/core/cores.js";
import { memoryBytes } from "../../src/files/memory.js";
import { folderWith, temporaryFolder } from "../formats/support.js";

const parent = temporaryFolder();
const MIB = 2 ** 20;
const none = folderWith(parent, {});

describe("memory is the least of", () => {
  test.each([
    ["the limit of the group of the job, above that of the process (v2)", "0::/slurm/job_7/step_0/task_0\n", "", "max"],
    [
      "and of the first version's controller of memory",
      "9:name=systemd:/\n4:cpu,memory:/slurm/job_7/step_0/task_0\n0::/\n",
      "memory",
      "9223372036854771712",
    ],
  ])("%s", (_, groups, tree, unlimited) => {
    const name = tree === "" ? "memory.max" : "memory.limit_in_bytes";
    const around = join("sys/fs/cgroup", tree, "slurm");
    const root = folderWith(parent, {
      "proc/self/cgroup": groups,
      [join(around, "job_7/step_0/task_0", name)]: `${unlimited}\n`,
      [join(around, "job_7", name)]: `${100 * MIB}\n`,
      [join(around, name)]: `${200 * MIB}\n`,
    });
    expect(memoryBytes(root, {})).toBe(100 * MIB);
  });

  test("the job's, as Slurm states it for a node or for a core", () => {
    expect(memoryBytes(none, { SLURM_MEM_PER_NODE: "300" })).toBe(300 * MIB);
    expect(memoryBytes(none, { SLURM_MEM_PER_CPU: "100", SLURM_CPUS_ON_NODE: "2" })).toBe(200 * MIB);
  });

  test("the machine's where nothing else is stated", () => {
    const machine = process.constrainedMemory() > 0 ? Math.min(totalmem(), process.constrainedMemory()) : totalmem();
    for (const env of [{}, { SLURM_MEM_PER_NODE: "0" }, { SLURM_MEM_PER_CPU: "100" }])
      expect(memoryBytes(none, env)).toBe(machine);
  });
});

test("cores are those of the task, or of the job, and never more than there are", () => {
  const cores = availableParallelism();
  expect(usableCores({})).toBe(cores);
  expect(usableCores({ SLURM_CPUS_PER_TASK: "1", SLURM_CPUS_ON_NODE: "8" })).toBe(1);
  expect(usableCores({ SLURM_CPUS_ON_NODE: "1" })).toBe(1);
  expect(usableCores({ SLURM_CPUS_PER_TASK: "100000" })).toBe(cores);
});
