/** Where vectors are coupled, the largest of their states in units of the noise that each has on its plane. ../peaks.ts has the twin. */
import { strideOver } from "../../../gpu/dispatch.js";
import type { Kernel } from "../../../gpu/wgsl/kernel.js";
import type { Step, Workspace } from "../../../gpu/workspace.js";
import { DEVIATION_OF_NORMAL } from "../noise.js";
import { couplesVectors, type RecursionOptions } from "../options.js";

type Load = (name: string, constants?: Readonly<Record<string, number>>) => Promise<Kernel>;

/** Steps from a state to `best` and `which`; `noise` then holds the middle and σ of each vector. */
export type OwnNoise = (state: string) => readonly Step[];

/** Where they are not coupled there is nothing to do: the passes themselves leave the largest. */
export async function ownNoise(
  work: Workspace,
  load: Load,
  pixels: number,
  options: RecursionOptions,
): Promise<OwnNoise | null> {
  if (!couplesVectors(options)) return null;
  const vectors = options.vectors.length;
  const count = await load("count-digits");
  const narrow = await load("narrow-digits", { DEVIATION: DEVIATION_OF_NORMAL });
  const best = await load("best-of-noise");
  for (const name of ["noise", "searched"]) work.storage(name, 4 * vectors);
  work.storage("bins", 512 * vectors);
  const over = (kernel: Kernel, groups: Step["groups"], state: string, shift: number, deviations: number): Step => {
    const digit = work.constant(kernel.struct("Digit"), { pixels, vectors, shift, deviations });
    return { kernel, groups, bound: kernel === narrow ? { digit } : { digit, state } };
  };
  const median = (state: string, deviations: number) =>
    [24, 16, 8, 0].flatMap((shift) => [
      over(count, [strideOver(count, Math.ceil(pixels / VALUES)), vectors], state, shift, deviations),
      over(narrow, [Math.ceil(vectors / narrow.workgroupSize[0])], state, shift, deviations),
    ]);
  return (state) => [
    // Sums of noise lie about 0, the largest of them above it.
    ...(options.combine === "max" ? median(state, 0) : []),
    ...median(state, 1),
    over(best, [strideOver(best, pixels)], state, 0, 0),
  ];
}

/** That a thread counts, about. */
const VALUES = 16;
