import { InputError } from "../core/errors.js";
import type { SolveFlags } from "./solve-flags.js";

export type WindowFlags = SolveFlags & { readonly window: number | "auto" };

/** What windows cannot do is said, not left undone. */
export function refuseForWindows(inputPath: string, flags: WindowFlags): void {
  const no = (option: string, why: string): never => {
    throw new InputError(`${option}: ${why}`);
  };
  if (/\.json$/i.test(inputPath))
    no(inputPath, "a scenario is not read as a stream; write its CSV with rmap simulate and solve that");
  if (/\.xml$/i.test(inputPath))
    no(inputPath, "XML is not read as a stream; leave --window out, or give CSV: frame,x,y");
  if (flags.device === "gpu" || flags.device === "software")
    no(`--device ${flags.device}`, "windows are solved on the CPU; leave it out");
  if (flags.cost !== undefined && flags.cost !== "motion")
    no("--cost", "windows are priced by cost motion; leave it out");
  if (flags.births === "none")
    no("--births none", "tracks must be able to start and end where windows meet; leave it out");
  if (flags.triplets === "implicit" || flags.triplets === "dense")
    no(`--triplets ${flags.triplets}`, "windows store what cost motion needs; leave it out");
  if (flags.cuts === "auto") no("--cuts auto", "is not there for windows; leave it, or --window, out");
  const without = {
    costParameter: "--cost-parameter",
    divisions: "--divisions",
    exact: "--exact",
    links: "--links",
    over: "--over",
    unsure: "--unsure",
    time: "--time",
    profile: "--profile",
    seed: "--seed",
  } as const;
  for (const [flag, option] of Object.entries(without)) {
    if (flags[flag as keyof typeof without] !== undefined)
      no(option, "is not there for windows; leave it, or --window, out");
  }
}
