import type { DeviceChoice } from "../gpu/adapter.js";
import type { AscentName } from "../map/dual/ascents.js";
import type { ProblemOverrides } from "../run/problem.js";

/** What the command line of `solve` says. */
export interface SolveFlags extends ProblemOverrides {
  readonly output?: string;
  readonly over?: string;
  readonly append?: string;
  readonly json?: true;
  readonly ascent?: AscentName;
  readonly iterations?: number;
  readonly gap?: number;
  readonly time?: number;
  readonly passes?: number;
  readonly requireGap?: number;
  readonly unsure?: number;
  readonly exact?: true;
  readonly cuts?: "auto" | "none";
  readonly threads: number;
  readonly device: DeviceChoice;
  readonly profile?: true;
  readonly quiet?: true;
  readonly window?: number | "auto";
  readonly overlap?: number;
  readonly learn?: number;
  readonly queue?: string;
}
