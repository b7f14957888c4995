/**
 * How a pass runs. `all` and `in-place`: one thread for all vectors, and the state in two buffers or in one; `tiles`: the frames in workgroup memory. `argument` and `constant`: one dispatch a
 * vector, which is an argument or compiled in: the paper's, in all 16 combinations, of which `carry` and `body` are.
 * @typedef {{ kernel: string, input: string, carry: string, body: string }} TbdVariant
 */
import { InputError } from "../../dist/core/errors.js";

export const DEFAULT_VARIANT = { kernel: "all", input: "storage", carry: "register", body: "unrolled" };

const WORDS = {
  kernel: ["all", "in-place", "argument", "constant"],
  input: ["storage", "texture", "tiles"],
  carry: ["register", "shared"],
  body: ["loop", "unrolled"],
};

/** The paper's sixteen. */
export const PAPER_VARIANTS = ["argument", "constant"].flatMap((kernel) =>
  WORDS.carry.flatMap((carry) =>
    ["storage", "texture"].flatMap((input) => WORDS.body.map((body) => ({ kernel, input, carry, body }))),
  ),
);

/** Reads words in any order, as in "constant,register,texture,unrolled"; parts without a word take DEFAULT_VARIANT's. */
export function parseVariant(text) {
  const variant = { ...DEFAULT_VARIANT };
  const given = new Set();
  for (const word of text.split(",")) {
    const part = Object.entries(WORDS).find(([, words]) => words.includes(word))?.[0];
    if (part === undefined) {
      throw new InputError(`variant ${text}: ${word} is none of ${Object.values(WORDS).flat().join(", ")}; change it`);
    }
    if (given.has(part)) throw new InputError(`variant ${text}: says ${part} twice; leave one out`);
    given.add(part);
    variant[part] = word;
  }
  const own = ["carry", "body"].find((part) => given.has(part));
  if (!isPapers(variant) && own !== undefined) {
    throw new InputError(`variant ${text}: ${variant.kernel} has no ${own}; leave ${variant[own]} out`);
  }
  if (variant.input === "tiles" && variant.kernel !== "all") {
    throw new InputError(`variant ${text}: only all has frames in workgroup memory; take storage or texture`);
  }
  return variant;
}

/** One dispatch a vector. */
export const isPapers = ({ kernel }) => kernel === "argument" || kernel === "constant";

export function variantName(variant) {
  const { kernel, input, carry, body } = variant;
  return (isPapers(variant) ? [kernel, carry, input, body] : [kernel, input]).join(", ");
}

/** @throws InputError for options that the variant has no kernel for */
export function checkVariant(variant, { state }) {
  if (state === "f16" && variant.kernel !== "all") {
    throw new InputError(`before-detect: ${variantName(variant)} keeps its state in f32; take all, or f32`);
  }
}
