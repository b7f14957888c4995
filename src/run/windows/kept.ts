import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../core/errors.js";
import { withFile } from "../../files/refusal.js";
import { writeWhole } from "../../files/whole-file.js";
import type { Found } from "../../map/window/piece.js";
import { software } from "../../rows/provenance.js";
import type { WindowCaller } from "./caller.js";
import { foundOfText, textOfFound, textOfWindow } from "./message.js";

/** Solutions of the windows of a run that has not ended, for the same run given again. */
export interface KeptWindows extends WindowCaller {
  /** Windows that an earlier run had found, and all that are kept. */
  readonly taken: number;
  readonly held: number;
  /** The run has ended: nothing needs to be kept any more. */
  forget(): void;
}

/** A kept window, or one that a killed run was writing. */
const KEPT = /^\.?[0-9a-f]{32}(\.rmap-\d+)?$/;

/**
 * Windows solved by `caller`, whose solutions are kept in a folder: a file for each window, named by the digest of all that its answer depends on. A window with
 * a file is priced and checked, and not searched again.
 */
export function keepWindows(caller: WindowCaller, folder: string): KeptWindows {
  let [taken, held] = [0, 0];
  const { version, revision } = software();
  return {
    ahead: caller.ahead,
    choose: (job) => caller.choose(job),
    get taken() {
      return taken;
    },
    get held() {
      return held;
    },
    async call(job) {
      const hash = createHash("sha256").update(`${version} ${revision} ${textOfWindow(job)}`);
      const file = join(folder, hash.digest("hex").slice(0, 32));
      const known = readFound(file);
      const answer = await caller.call(job, known);
      if (known !== null && answer.fault === null) taken++;
      else {
        withFile(folder, () => mkdirSync(folder, { recursive: true }));
        // Before the seams change it.
        writeWhole(file, textOfFound(answer.piece));
      }
      held++;
      return answer;
    },
    close: () => caller.close(),
    forget: () =>
      withFile(folder, () => {
        if (!existsSync(folder)) return;
        // Other files in the folder are the user's.
        for (const name of readdirSync(folder)) if (KEPT.test(name)) rmSync(join(folder, name), { force: true });
        if (readdirSync(folder).length === 0) rmdirSync(folder);
      }),
  };
}

/** null where there is none, or none that can be read: it is found again. */
function readFound(file: string): Found | null {
  if (!existsSync(file)) return null;
  try {
    return foundOfText(withFile(file, () => readFileSync(file, "utf8")));
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
