import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { InputError } from "../../src/core/errors.js";

/** A temporary folder, removed after the file's tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rmap-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A temporary folder with these files in it. */
export function folderWith(parent: string, files: Record<string, string | Uint8Array>): string {
  const folder = mkdtempSync(join(parent, "case-"));
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

/** The message of the InputError that `action` throws; fails on any other outcome and on more than one line. */
export function refusal(action: () => unknown): string {
  let message: string | null = null;
  try {
    action();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    message = error.message;
  }
  if (message === null) throw new Error("was not refused");
  expect(message).not.toMatch(/[\n\r\u2028\u2029\0]/);
  return message;
}

/** Asserts that `action` either returns or throws a one-line InputError. */
export function parsesOrRefuses(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    expect(error.message).not.toMatch(/[\n\r\u2028\u2029\0]/);
  }
}

/** `valid` with a few bytes overwritten, inserted, cut out or repeated. */
export function mutated(valid: Uint8Array): fc.Arbitrary<Buffer> {
  const awkward = [..."\"'#,;\n\r\0-+.eE0919{}[]:\\ \tNnIi", "\ufeff", "1e999", "NaN", "-1", "99999999999", '""'];
  const piece = fc.oneof(
    fc.constantFrom(...awkward).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
  );
  const edit = fc.record({ at: fc.nat(valid.length), cut: fc.nat(6), piece });
  return fc
    .array(edit, { minLength: 1, maxLength: 4 })
    .map((edits) =>
      edits.reduce(
        (bytes, { at, cut, piece }) => Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + cut)]),
        Buffer.from(valid),
      ),
    );
}

export const byteSoup = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: "grapheme", maxLength: 100 }).map((text) => Buffer.from(text)),
);
