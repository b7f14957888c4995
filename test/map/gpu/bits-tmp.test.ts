import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { test } from "vitest";
import { DenseAscent } from "../../../src/experiments/naive/dense-ascent.js";
import { solveLapsOnGpu } from "../../../src/lap/block-hungarian/gpu-solve.js";
import { createGpuSteps } from "../../../src/map/gpu/gpu-steps.js";
import { buildInstance } from "../../../src/map/instance/build.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import * as cases from "../../lap/cases.js";
import { randomProblem, seconds } from "../problems.js";
import { gpuCases, tiedCases } from "./gpu-cases.js";

const session = useSoftwareSession();
const out: Record<string, string> = {};
const hash = (value: unknown) => {
  const h = createHash("sha1");
  for (const [k, v] of Object.entries(value as object)) {
    h.update(k);
    if (ArrayBuffer.isView(v)) h.update(new Uint8Array(v.buffer, v.byteOffset, v.byteLength));
    else h.update(JSON.stringify(v));
  }
  return h.digest("hex");
};
test("bits", async () => {
  for (const [name, problem] of [...gpuCases, ...tiedCases]) {
    const { instance } = buildInstance(problem);
    for (const ascent of ["bidirectional", "bundle", "polyak"]) {
      const steps = await createGpuSteps(session(), instance, { now: seconds, edgesPerChunk: 16 });
      const values: number[] = [];
      values.push(await steps.evaluate());
      if (ascent === "bidirectional")
        for (let k = 0; k < 4; k++) {
          await steps.visit((k % 2) as 0 | 1);
        }
      if (ascent === "polyak")
        for (let k = 0; k < 3; k++) {
          await steps.evaluate();
          await steps.follow(0.1 / (k + 1));
        }
      if (ascent === "bundle") {
        await steps.openBundle();
        for (let k = 0; k < 3; k++) {
          await steps.refine(2);
          await steps.refineKept(2);
          const { bound, model } = await steps.evaluateBundle();
          values.push(bound, model);
          await steps.keep();
          await steps.stand(2);
        }
      }
      values.push(await steps.evaluate());
      await steps.pushReducedCosts();
      const links = (await steps.repairTracks?.(2)) ?? null;
      const state = await steps.inspect();
      out[`${name} ${ascent}`] = hash({ ...state, values, links });
      await steps.close();
    }
  }
  const laps = Object.values(cases)
    .flatMap((v) => (Array.isArray(v) ? v : []))
    .map((c) => (Array.isArray(c) ? c[1] : (c.problem ?? c)))
    .filter((p) => p && typeof p === "object" && "rowStart" in p);
  for (const path of ["subgroup", "portable"] as const)
    for (const inStorage of [false, true]) {
      if (path === "subgroup" && inStorage) continue;
      for (const [k, problem] of laps.entries()) {
        try {
          out[`lap ${k} ${path} ${inStorage}`] = hash(
            (await solveLapsOnGpu(session(), [problem], { path, inStorage })).map((a) => [
              a.status,
              a.row,
              a.outcome,
              [...a.solution.rowDual],
              [...a.solution.columnDual],
              [...a.solution.columnOfRow],
            ]),
          );
        } catch (error) {
          out[`lap ${k} ${path} ${inStorage}`] = String(error);
        }
      }
    }
  for (const n of [3, 9]) {
    const { instance } = buildInstance(randomProblem({ seed: n, counts: [n, n, n, n, n], storage: "absolute" }));
    const ascent = await DenseAscent.create(session(), instance, 2);
    await ascent.reset();
    for (let k = 0; k < 2; k++) {
      await ascent.takeLeast();
      await ascent.assign();
      if (k < 1) await ascent.distribute();
    }
    out[`naive ${n}`] = hash(await ascent.read());
    ascent.destroy();
  }
  writeFileSync(process.env.BITS ?? "/tmp/bits.json", JSON.stringify(out, null, 1));
}, 300_000);
