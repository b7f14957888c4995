import type { Ascent } from "./ascent.js";
import { bidirectional } from "./ascent-bidirectional.js";
import { bundle } from "./ascent-bundle.js";
import { polyak } from "./ascent-polyak.js";
import { rmap } from "./ascent-rmap.js";

/** To add an ascent: one file, one line here. */
export const ASCENTS = { bundle, polyak, bidirectional, rmap } as const satisfies Record<string, Ascent>;

export type AscentName = keyof typeof ASCENTS;

/** The one that certifies most where the relaxation is not tight (docs/explanation/mathematics.md §3.5). */
export const DEFAULT_ASCENT: AscentName = "bundle";
