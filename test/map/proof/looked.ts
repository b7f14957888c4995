import type { Proof } from "../../../src/map/proof/proof.js";

/** The parts of a proof that its check may look at: not the core of a last stage that no leaves follow. */
export function looked({ stages, leaves }: Proof): Proof {
  const last = leaves.length > 0 ? stages.length : stages.length - 1;
  return { stages: stages.map(({ core, ...stage }, n) => (core && n < last ? { ...stage, core } : stage)), leaves };
}
