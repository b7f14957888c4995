import { statSync } from "node:fs";
import { InputError } from "../../core/errors.js";
import { isStdin } from "../../files/input-stream.js";
import { optionOf } from "../../files/refusal.js";
import { isZarr } from "../../formats/geff-store.js";
import type { SolveFlags } from "../options/solving.js";

export type WindowFlags = SolveFlags & { readonly window: number | "auto" };

const WITHOUT = [
  "assignment",
  "costParameter",
  "exact",
  "links",
  "over",
  "unsure",
  "time",
  "profile",
  "seed",
  "shards",
  "xLaps",
] as const satisfies readonly (keyof SolveFlags)[];

/** Refuses options that windows do not have, instead of leaving them without effect. */
export function refuseForWindows(input: string, flags: WindowFlags): void {
  const refuseIf = (refused: boolean, option: string, why: string): void => {
    if (refused) throw new InputError(`${option}: ${why}`);
  };
  const { device, cost, births, triplets, cuts } = flags;
  if (flags.shard !== undefined) {
    refuseIf(isStdin(input), "--shard", "a pipe can be read only once; name a file");
    refuseIf(flags.output === undefined, "--shard", "what is found is kept for the others; name their folder with -o");
  }
  const noStream = "is not read as a stream";
  refuseIf(/\.json$/i.test(input), input, `a scenario ${noStream}; write its CSV with rmap simulate and solve that`);
  refuseIf(/\.xml$/i.test(input), input, `XML ${noStream}; leave --window out, or give CSV: frame,x,y`);
  refuseIf(isZarr(input), input, `a graph ${noStream}; leave --window out`);
  const isFolder = statSync(input, { throwIfNoEntry: false })?.isDirectory() === true;
  refuseIf(isFolder, input, `a folder ${noStream}; leave --window out`);
  refuseIf(
    device === "gpu" || device === "software",
    `--device ${device}`,
    "windows are solved on the CPU; leave it out",
  );
  refuseIf(cost !== undefined && cost !== "motion", "--cost", "windows are priced by cost motion; leave it out");
  refuseIf(births === "none", "--births none", "tracks must be able to start and end where windows meet; leave it out");
  refuseIf(
    triplets === "implicit" || triplets === "dense",
    `--triplets ${triplets}`,
    "windows store what cost motion needs; leave it out",
  );
  const notThere = "is not there for windows; leave it, or --window, out";
  refuseIf(cuts === "auto", "--cuts auto", notThere);
  for (const key of WITHOUT) refuseIf(flags[key] !== undefined, optionOf(key), notThere);
}
