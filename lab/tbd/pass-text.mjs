/** The text of a pass: which file a variant's kernel is, which pieces it takes and what is compiled in. */
import { isPapers } from "./variant.mjs";

const labs = (name) => new URL(`../kernels/before-detect/${name}.wgsl`, import.meta.url);
const programs = (name) => new URL(`../../dist/pixels/before-detect/gpu/${name}.wgsl`, import.meta.url);
const pieces = (names) => Object.fromEntries(Object.entries(names).map(([place, name]) => [place, `#import ${name}`]));

/**
 * A kernel over `depth` frames, with the constants that it has whatever its vector is; only those of `tiles` depend on the workgroup.
 * @param {import("./variant.mjs").TbdVariant} variant
 */
export function passText(variant, depth, vectors, workgroup, isHalf = false) {
  const { kernel, input, carry, body } = variant;
  if (!isPapers(variant)) {
    const constants = { DEPTH: depth, VECTORS: vectors.length };
    if (kernel === "all" && input === "storage" && !isHalf) return { file: programs("all"), texts: {}, constants };
    if (input === "tiles") {
      const reach = Math.max(...vectors.flatMap(({ x, y }) => [Math.abs(x), Math.abs(y)]));
      const sides = Array.from({ length: depth }, (_, left) => workgroup.map((side) => side + 2 * reach * left));
      const TILES = sides.reduce((sum, [x, y]) => sum + x * y, 0);
      return { file: labs("all-tiles"), texts: {}, constants: { ...constants, REACH: reach, TILES } };
    }
    const [state, cell] =
      kernel === "in-place" ? ["state-in-place", "cell-fixed"] : [isHalf ? "state-f16" : "state-f32", "cell-moving"];
    return { file: labs("all"), texts: pieces({ input: `input-${input}`, state, cell }), constants };
  }
  const texts = {
    ...pieces({
      input: `input-${input}`,
      wait: input === "storage" ? "wait-barrier" : "wait-none",
      state: "state-f32",
      vector: kernel === "argument" || vectors.every(isWhole) ? `vector-${kernel}` : "vector-fraction",
      carry: `carry-${carry}`,
      depth: body === "loop" ? "depth-argument" : "depth-constant",
    }),
    body: bodyOf(body, depth),
  };
  return { file: labs("trajectory"), texts, constants: body === "loop" ? {} : { DEPTH: depth } };
}

const isWhole = ({ x, y }) => Number.isInteger(x) && Number.isInteger(y);

/** What tells the kernels of a variant's vectors apart: nothing where the vector is an argument. */
export const vectorConstants = ({ kernel }, { x, y }, number) =>
  kernel === "constant" ? { NUMBER: number, VX: x, VY: y } : {};

function bodyOf(body, depth) {
  const advance = (j) => `advance(end, ${j}, thread, valid);`;
  if (body === "loop") return `  for (var j = 1u; j <= run.depth; j++) { ${advance("j")} }`;
  return Array.from({ length: depth }, (_, n) => `  ${advance(`${n + 1}u`)}`).join("\n");
}
