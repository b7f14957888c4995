import { existsSync, readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";

/** Memory of this machine, or of the container, control group or Slurm job that the process runs in. */
export function memoryBytes(root = "/", env = process.env): number {
  const limits = [process.constrainedMemory(), ...limitsOfGroups(root), limitOfJob(env)];
  return Math.min(totalmem(), ...limits.filter((bytes) => bytes > 0));
}

/**
 * The limits of the control groups that the process is in, and of those around them: Slurm limits the group of the job, and the process is in one of a task. NaN for
 * none.
 */
function limitsOfGroups(root: string): number[] {
  const file = join(root, "proc/self/cgroup");
  // Only Linux has it.
  if (!existsSync(file)) return [];
  return [...readFileSync(file, "utf8").matchAll(/^\d+:(.*?):(.*)$/gm)].flatMap(([, kinds, group]) => {
    if (kinds !== "" && !kinds.split(",").includes("memory")) return [];
    const [tree, name] = kinds === "" ? ["", "memory.max"] : ["memory", "memory.limit_in_bytes"];
    const around = (folder: string): string[] => (folder === "/" ? [folder] : [folder, ...around(dirname(folder))]);
    const files = around(join("/", group)).map((folder) => join(root, "sys/fs/cgroup", tree, folder, name));
    return files.map((one) => (existsSync(one) ? Number(readFileSync(one, "utf8")) : Number.NaN));
  });
}

/** Slurm counts in MiB. NaN outside of a job. */
function limitOfJob({ SLURM_MEM_PER_NODE, SLURM_MEM_PER_CPU, SLURM_CPUS_ON_NODE }: NodeJS.ProcessEnv): number {
  return 2 ** 20 * Number(SLURM_MEM_PER_NODE ?? Number(SLURM_MEM_PER_CPU) * Number(SLURM_CPUS_ON_NODE));
}

export function gigabytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
