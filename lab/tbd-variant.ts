import { InputError } from "../../../core/errors.js";
import type { RecursionOptions } from "../options.js";

/**
 * How a pass runs. `all` and `in-place`: one thread for all vectors, and the state in two buffers or in one. `argument` and `constant`: one dispatch a
 * vector, which is an argument or compiled in: the paper's, in all 16 combinations.
 */
export interface TbdVariant {
  readonly kernel: "all" | "in-place" | "argument" | "constant";
  readonly input: "storage" | "texture";
  /** Of the paper's kernels. */
  readonly carry: "register" | "shared";
  readonly body: "loop" | "unrolled";
}

export const DEFAULT_VARIANT: TbdVariant = { kernel: "all", input: "storage", carry: "register", body: "unrolled" };

const WORDS = {
  kernel: ["all", "in-place", "argument", "constant"],
  input: ["storage", "texture"],
  carry: ["register", "shared"],
  body: ["loop", "unrolled"],
} as const satisfies { readonly [part in keyof TbdVariant]: readonly TbdVariant[part][] };

/** The paper's sixteen. */
export const PAPER_VARIANTS: readonly TbdVariant[] = (["argument", "constant"] as const).flatMap((kernel) =>
  WORDS.carry.flatMap((carry) =>
    WORDS.input.flatMap((input) => WORDS.body.map((body) => ({ kernel, input, carry, body }))),
  ),
);

/** Reads words in any order, as in "constant,register,texture,unrolled"; parts without a word take DEFAULT_VARIANT's. */
export function parseVariant(text: string): TbdVariant {
  const variant: Record<string, string> = { ...DEFAULT_VARIANT };
  const given = new Set<string>();
  for (const word of text.split(",")) {
    const part = Object.entries(WORDS).find(([, words]) => (words as readonly string[]).includes(word))?.[0];
    if (part === undefined) {
      throw new InputError(`variant ${text}: ${word} is none of ${Object.values(WORDS).flat().join(", ")}; change it`);
    }
    if (given.has(part)) throw new InputError(`variant ${text}: says ${part} twice; leave one out`);
    given.add(part);
    variant[part] = word;
  }
  const parsed = variant as unknown as TbdVariant;
  const own = (["carry", "body"] as const).find((part) => given.has(part));
  if (!isPapers(parsed) && own !== undefined) {
    throw new InputError(`variant ${text}: ${parsed.kernel} has no ${own}; leave ${variant[own]} out`);
  }
  return parsed;
}

/** One dispatch a vector. */
export const isPapers = ({ kernel }: TbdVariant): boolean => kernel === "argument" || kernel === "constant";

export function variantName(variant: TbdVariant): string {
  const { kernel, input, carry, body } = variant;
  return (isPapers(variant) ? [kernel, carry, input, body] : [kernel, input]).join(", ");
}

/** @throws InputError for options that the variant has no kernel for */
export function checkVariant(variant: TbdVariant, { state, vectors }: RecursionOptions): void {
  if (state === "f16" && variant.kernel !== "all") {
    throw new InputError(
      `before-detect: ${variantName(variant)} keeps its state in f32; use --variant all, or --state f32`,
    );
  }
  const broken = vectors.find(({ x, y }) => !Number.isInteger(x) || !Number.isInteger(y));
  if (variant.kernel === "constant" && broken !== undefined) {
    throw new InputError(
      `before-detect: the vector ${broken.x},${broken.y} is not whole, and ${variantName(variant)} compiles it in; use --variant argument, or whole vectors`,
    );
  }
}
