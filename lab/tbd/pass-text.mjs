/** The text of a pass: which file a variant's kernel is, which pieces it takes and what is compiled in. */
import { isPapers } from "./variant.mjs";

const labs = (name) => new URL(`../kernels/before-detect/${name}.wgsl`, import.meta.url);
const programs = (name) => new URL(`../../dist/pixels/before-detect/gpu/${name}.wgsl`, import.meta.url);
const pieces = (names) => Object.fromEntries(Object.entries(names).map(([place, name]) => [place, `#import ${name}`]));

/**
 * A kernel over `depth` frames, with the constants that it has whatever its vector and workgroup are.
 * @param {import("./variant.mjs").TbdVariant} variant
 */
export function passText(variant, depth, vectors, isHalf = false) {
  const { kernel, input, carry, body } = variant;
  if (!isPapers(variant)) {
    const constants = { DEPTH: depth, VECTORS: vectors };
    if (kernel === "all" && input === "storage" && !isHalf) return { file: programs("all"), texts: {}, constants };
    const [state, cell] =
      kernel === "in-place" ? ["state-in-place", "cell-fixed"] : [isHalf ? "state-f16" : "state-f32", "cell-moving"];
    return { file: labs("all"), texts: pieces({ input: `input-${input}`, state, cell }), constants };
  }
  const texts = {
    ...pieces({
      input: `input-${input}`,
      wait: input === "storage" ? "wait-barrier" : "wait-none",
      state: "state-f32",
      vector: `vector-${kernel}`,
      carry: `carry-${carry}`,
      depth: body === "loop" ? "depth-argument" : "depth-constant",
    }),
    body: bodyOf(body, depth),
  };
  return { file: labs("trajectory"), texts, constants: body === "loop" ? {} : { DEPTH: depth } };
}

/** What tells the kernels of a variant's vectors apart: nothing where the vector is an argument. */
export const vectorConstants = ({ kernel }, { x, y }, number) =>
  kernel === "constant" ? { NUMBER: number, VX: x, VY: y } : {};

function bodyOf(body, depth) {
  const advance = (j) => `advance(end, ${j}, thread, valid);`;
  if (body === "loop") return `  for (var j = 1u; j <= run.depth; j++) { ${advance("j")} }`;
  return Array.from({ length: depth }, (_, n) => `  ${advance(`${n + 1}u`)}`).join("\n");
}
