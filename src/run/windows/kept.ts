import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { InputError } from "../../core/errors.js";
import { withFile } from "../../files/refusal.js";
import { writeWhole } from "../../files/whole-file.js";
import type { Found } from "../../map/window/piece.js";
import { software } from "../../rows/provenance.js";
import type { WindowCaller } from "./caller.js";
import { foundOfText, textOfFound, textOfWindow } from "./message.js";

/** What a run that has not ended, or shards of it, have found, for the same run given again. */
export interface KeptWindows extends WindowCaller {
  /** Windows that had been found, and all that are kept. */
  readonly taken: number;
  readonly held: number;
  /** The costs that were learned from `from`, which `learn` makes where they are not kept; of plain data and typed arrays. */
  costs<Costs>(from: unknown, learn: () => Promise<Costs>): Promise<Costs>;
  /** The run has ended: nothing needs to be kept any more. */
  forget(): void;
}

/** A kept file, or one that a killed run was writing. */
const KEPT = /^\.?((costs|links)-)?[0-9a-f]{32}(\.rmap-.*)?$/;

/**
 * Windows solved by `caller`, whose solutions are kept in a folder: a file for each window, named by the digest of all that its answer depends on, and so are the
 * costs and the chosen links. Several processes, on several machines, may keep them there. A window with a file is priced and checked, and not searched again.
 */
export function keepWindows(caller: WindowCaller, folder: string): KeptWindows {
  let [taken, held] = [0, 0];
  const { version, revision } = software();
  const fileOf = (content: string | Uint8Array, kind = "") => {
    const hash = createHash("sha256").update(`${version} ${revision} `).update(content);
    return join(folder, `${kind}${hash.digest("hex").slice(0, 32)}`);
  };
  const keep = (file: string, content: string | Uint8Array) => {
    withFile(folder, () => mkdirSync(folder, { recursive: true }));
    writeWhole(file, content);
  };
  /** A value that nothing else checks, behind the digest of its bytes. */
  const kept = async <Value>(file: string, make: () => Promise<Value>): Promise<Value> => {
    const bytes = existsSync(file) ? withFile(file, () => readFileSync(file)) : Buffer.alloc(0);
    const [sum, known] = [bytes.subarray(0, SUM), bytes.subarray(SUM)];
    if (sum.length === SUM && sum.equals(sumOf(known))) return deserialize(known) as Value;
    const value = await make();
    const content = serialize(value);
    keep(file, Buffer.concat([sumOf(content), content]));
    return value;
  };
  return {
    ahead: caller.ahead,
    choose: (job) => {
      // The text of a window without links has all that the choice depends on, but its frames.
      const { choose, ...rest } = job;
      const over = { tail: new Int32Array(), head: new Int32Array() };
      const text = textOfWindow({ ...rest, over, from: choose[0], to: choose[1] });
      return kept(fileOf(text, "links-"), () => caller.choose(job));
    },
    costs: (from, learn) => kept(fileOf(serialize(from), "costs-"), learn),
    get taken() {
      return taken;
    },
    get held() {
      return held;
    },
    async call(job) {
      const file = fileOf(textOfWindow(job));
      const known = readFound(file);
      const answer = await caller.call(job, known);
      if (known !== null && answer.fault === null) taken++;
      // Before the seams change it.
      else keep(file, textOfFound(answer.piece));
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

/** Bytes of a digest. */
const SUM = 32;
const sumOf = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

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
