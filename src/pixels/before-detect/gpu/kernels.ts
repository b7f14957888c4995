/** The kernels of a pass, put together from their pieces. */
import type { GpuSession } from "../../../gpu/session.js";
import { type Kernel, loadKernel } from "../../../gpu/wgsl/kernel.js";
import type { RecursionOptions } from "../options.js";
import { isPapers, type TbdVariant } from "./variant.js";

const file = (name: string) => new URL(`./${name}.wgsl`, import.meta.url);
const pieces = (names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(names).map(([place, name]) => [place, `#import ${name}`]));

/** Kernels of a pass of `depth` frames: one, or one for each vector. */
export async function loadPass(
  session: GpuSession,
  variant: TbdVariant,
  workgroup: readonly [number, number],
  { state, vectors }: RecursionOptions,
  depth: number,
): Promise<Kernel[]> {
  const constants = { DEPTH: depth, THREADS_X: workgroup[0], THREADS_Y: workgroup[1] };
  const { kernel, input, carry, body } = variant;
  if (!isPapers(variant)) {
    const [kept, cell] = kernel === "in-place" ? ["state-in-place", "cell-fixed"] : [`state-${state}`, "cell-moving"];
    const texts = pieces({ input: `input-${input}`, state: kept, cell });
    return [await loadKernel(session, file("all"), { constants: { ...constants, VECTORS: vectors.length }, texts })];
  }
  const texts = {
    ...pieces({
      input: `input-${input}`,
      wait: input === "storage" ? "wait-barrier" : "wait-none",
      state: "state-f32",
      vector: `vector-${kernel}`,
      carry: `carry-${carry}`,
    }),
    body: bodyOf(body, depth),
  };
  if (kernel === "argument") {
    const one = await loadKernel(session, file("trajectory"), { constants, texts });
    return vectors.map(() => one);
  }
  return Promise.all(
    vectors.map(({ x, y }, v) =>
      loadKernel(session, file("trajectory"), { constants: { ...constants, NUMBER: v, VX: x, VY: y }, texts }),
    ),
  );
}

function bodyOf(body: TbdVariant["body"], depth: number): string {
  const advance = (j: string) => `advance(end, ${j}, thread, valid);`;
  if (body === "loop") return `  for (var j = 1u; j <= run.depth; j++) { ${advance("j")} }`;
  return Array.from({ length: depth }, (_, n) => `  ${advance(`${n + 1}u`)}`).join("\n");
}

/** The largest over the vectors, for passes that do not leave it. */
export const loadBest = (session: GpuSession) =>
  loadKernel(session, file("best"), { texts: pieces({ state: "state-f32" }) });

export const loadPeaks = (session: GpuSession) => loadKernel(session, file("peaks"));

/** f32 from samples of a type. */
export const loadWiden = (session: GpuSession, type: "u8" | "u16" | "f32") =>
  loadKernel(session, file("widen"), { texts: pieces({ sample: `sample-${type}` }) });

export const loadCoupled = (session: GpuSession, workgroup: readonly [number, number]) =>
  loadKernel(session, file("coupled"), {
    constants: { THREADS_X: workgroup[0], THREADS_Y: workgroup[1] },
    texts: pieces({ input: "input-storage", state: "state-f32" }),
  });
