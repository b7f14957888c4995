import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Runs `work` with a folder of these files, which is gone afterwards. */
export async function withFiles(
  files: Readonly<Record<string, string>>,
  work: (folder: URL) => void | Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "wgsl-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    await work(pathToFileURL(`${folder}/`));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
