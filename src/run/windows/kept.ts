import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { withFile } from "../../files/refusal.js";
import { writeWhole } from "../../files/whole-file.js";
import { software } from "../../rows/provenance.js";

/** What is kept: where a recording's frames stand in its file, the costs, the links over missed detections of a window, what was found in it, that with its costs where the shard before goes on from it, and what was decided with its neighbours. */
export type Kind = "survey" | "costs" | "links" | "found" | "border" | "decided";

/** Where what has been found is kept for the same run given again, and for the run that joins its shards. */
export interface Keeper {
  /**
   * A value of plain data and typed arrays, which `make` makes, at once, where it is not kept.
   * @param name all that the value depends on
   */
  keep<Value>(kind: Kind, name: () => string, make: () => Promise<Value>): Promise<Kept<Value>>;
}

export interface Kept<Value> {
  readonly value: Value;
  /** Whether it was there. */
  readonly known: boolean;
}

export const KEEPS_NOTHING: Keeper = { keep: async (_, __, make) => ({ value: await make(), known: false }) };

/** A kept file, or one that a killed run was writing; earlier versions kept windows under their digests alone. */
const KEPT = /^\.?((survey|costs|links|found|border|decided)-)?[0-9a-f]{32}(\.rmap-.*)?$/;

/** Bytes of a digest. */
const SUM = 32;
const sumOf = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

/**
 * A folder with a file for each value, named by the digest of all that it depends on, the versions of rmap and of V8, whose functions round as they do, among it. Several processes, on several machines, may
 * keep values there. Nothing checks a value that is read, but the digest of its bytes, which stands before them.
 */
export class KeepingFolder implements Keeper {
  readonly #asked = new Set<string>();

  constructor(readonly name: string) {}

  async keep<Value>(kind: Kind, name: () => string, make: () => Promise<Value>): Promise<Kept<Value>> {
    const file = this.#fileOf(kind, name());
    this.#asked.add(file);
    const known = read(file);
    if (known !== null) return { value: deserialize(known) as Value, known: true };
    const value = await make();
    const content = serialize(value);
    withFile(this.name, () => mkdirSync(this.name, { recursive: true }));
    writeWhole(file, Buffer.concat([sumOf(content), content]));
    return { value, known: false };
  }

  /** All values of a kind, of other versions too. */
  all(kind: Kind): unknown[] {
    const files = this.#names().filter((name) => name.startsWith(`${kind}-`) && KEPT.test(name));
    return files.flatMap((name) => {
      const known = read(join(this.name, name));
      return known === null ? [] : [deserialize(known)];
    });
  }

  /** Windows that a run has decided which had other options, costs, another input or version: all that this run, which has ended, did not ask for. */
  get others(): number {
    return this.#names().filter((name) => name.startsWith("decided-") && !this.#asked.has(join(this.name, name)))
      .length;
  }

  /** The run has ended: nothing of it needs to be kept any more, and nothing at all where there are no others. */
  forget(): void {
    const folder = this.name;
    withFile(folder, () => {
      if (!existsSync(folder)) return;
      const all = this.others === 0;
      // Other files in the folder are the user's.
      for (const name of readdirSync(folder)) {
        const file = join(folder, name);
        if (KEPT.test(name) && (all || this.#asked.has(file))) rmSync(file, { force: true });
      }
      if (readdirSync(folder).length === 0) rmdirSync(folder);
    });
  }

  #names(): string[] {
    return existsSync(this.name) ? withFile(this.name, () => readdirSync(this.name)) : [];
  }

  #fileOf(kind: Kind, name: string): string {
    const { version, revision } = software();
    const hash = createHash("sha256").update(`${version} ${revision} ${process.versions.v8} `).update(name);
    return join(this.name, `${kind}-${hash.digest("hex").slice(0, 32)}`);
  }
}

/** null where there is none, or none that is whole. */
function read(file: string): Buffer | null {
  if (!existsSync(file)) return null;
  const bytes = withFile(file, () => readFileSync(file));
  const [sum, known] = [bytes.subarray(0, SUM), bytes.subarray(SUM)];
  return sum.length === SUM && sum.equals(sumOf(known)) ? known : null;
}
