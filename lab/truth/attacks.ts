import type { Attack, Tally } from "./attacks/attack.js";
import { device } from "./attacks/device.js";
import { exact } from "./attacks/exact.js";
import { exclusions } from "./attacks/exclusions.js";
import { files } from "./attacks/files.js";
import { lap } from "./attacks/lap.js";
import { margins } from "./attacks/margins.js";
import { offsets } from "./attacks/offsets.js";
import { proofs } from "./attacks/proofs.js";
import { regions } from "./attacks/regions.js";
import { scales } from "./attacks/scales.js";
import { starts } from "./attacks/starts.js";
import { windows } from "./attacks/windows.js";

/** To add one: a file in lab/truth/attacks that exports an Attack, and a line here. The command, the tests and lab/notes/truth.md find it. */
export const ATTACKS = {
  scales,
  offsets,
  device,
  proofs,
  margins,
  starts,
  exact,
  exclusions,
  regions,
  lap,
  windows,
  files,
} satisfies Record<string, Attack>;

export type AttackName = keyof typeof ATTACKS;

/** Attacks the instances of seeds `from` to `from + count − 1`, or as many of them as end before `until` [s of performance.now]. */
export async function attack(
  name: AttackName,
  from: number,
  count: number,
  until = Number.POSITIVE_INFINITY,
): Promise<Tally> {
  const tally: Tally = { instances: 0, violations: [], ended: {} };
  for (let seed = from; seed < from + count && performance.now() / 1000 < until; seed++) {
    await ATTACKS[name].run(seed, {
      ended(how) {
        tally.instances++;
        tally.ended[how] = (tally.ended[how] ?? 0) + 1;
      },
      violated: (what) => tally.violations.push(`${name}, seed ${seed}: ${what}`),
    });
  }
  return tally;
}
