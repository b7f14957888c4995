import { meetsGap } from "../map/certificate/gap.js";
import type { ResultRow } from "../rows/results.js";
import type { Outcome } from "./declaration/declaration.js";
import { EXIT } from "./exit.js";
import type { SolveFlags } from "./options/solving.js";
import { formatPercent } from "./text.js";

/** Why a solve that ended with a result does not end with code 0. */
export function shortcoming(
  { status, gapPercent }: ResultRow,
  solved: Parameters<typeof meetsGap>[0],
  { requireGap }: Pick<SolveFlags, "requireGap">,
  interrupted: boolean,
): Partial<Outcome> {
  if (interrupted) return { code: EXIT.interrupted };
  if (status === "unsolved") {
    const problem =
      "no allowed set of tracks was found, and it is not proved that there is none; allow more links, tracks to start and end, or more time";
    return { problem, code: EXIT.failed };
  }
  if (requireGap === undefined || meetsGap(solved, requireGap / 100)) return {};
  const gap = gapPercent === null ? "no gap is known" : `the gap of ${formatPercent(gapPercent)} is too large`;
  return { problem: `${gap}; --require-gap ${requireGap} %`, code: EXIT.belowRequired };
}
