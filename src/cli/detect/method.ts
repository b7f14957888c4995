import {
  type Context,
  type Everywhere,
  type FlagsOf,
  type Method,
  type Options,
  type Outcome,
  option,
  type Shown,
} from "../declaration/declaration.js";
import { outputFile } from "../options/files.js";
import { channel } from "../options/images.js";
import { device } from "../options/running.js";

/** Options of every method of `rmap detect`. */
export const COMMON = {
  output: option("-o, --output <file>", "write there what was found; a folder for several images", outputFile),
  device: device("it runs"),
  channel: channel(),
};

export type CommonFlags = FlagsOf<typeof COMMON> & Everywhere & { readonly method: string };

/** Declares a method of `rmap detect`: one file each, listed in methods.ts. */
export function detectMethod<O extends Options>(
  declared: Shown & {
    readonly options: O;
    run(images: readonly string[], flags: CommonFlags & FlagsOf<O>, context: Context): Promise<Outcome>;
  },
): Method {
  return {
    ...declared,
    async run({ image }: { image: string[] }, flags: CommonFlags & FlagsOf<O>, context) {
      const outcome = await declared.run(image, flags, context);
      return { ...outcome, json: { method: flags.method, ...outcome.json } };
    },
  };
}
