import { availableParallelism } from "node:os";

/** Cores that this process may use: those of the machine, or of the Slurm job that it is part of, which clusters do not always enforce. */
export function usableCores({ SLURM_CPUS_PER_TASK, SLURM_CPUS_ON_NODE }: NodeJS.ProcessEnv = process.env): number {
  const cores = availableParallelism();
  const ofJob = Number(SLURM_CPUS_PER_TASK ?? SLURM_CPUS_ON_NODE);
  return ofJob >= 1 ? Math.min(cores, ofJob) : cores;
}
