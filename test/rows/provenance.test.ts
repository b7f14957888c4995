import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";

const root = mkdtempSync(join(tmpdir(), "rmap-provenance-"));
afterAll(() => rmSync(root, { recursive: true }));

/** A copy of the module in a package of its own, as `folder`. */
function packageIn(folder: string): void {
  mkdirSync(join(folder, "src"), { recursive: true });
  for (const module of ["rows/provenance.js", "core/cores.js"]) cpSync(`dist/${module}`, join(folder, "dist", module));
  writeFileSync(join(folder, "package.json"), '{ "version": "7.8.9", "type": "module" }');
  writeFileSync(join(folder, "package-lock.json"), "{}");
  writeFileSync(join(folder, "src/index.ts"), "// a line\n");
}

const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder, encoding: "utf8" }).trim();

/** What a process that starts now states; each call loads the module anew. */
async function revisionIn(folder: string): Promise<string | null> {
  const url = `${pathToFileURL(join(folder, "dist/rows/provenance.js")).href}?${++loads}`;
  const { software } = (await import(url)) as { software(): { version: string; revision: string | null } };
  const { version, revision } = software();
  expect(version).toBe("7.8.9");
  return revision;
}
let loads = 0;

test("the revision is what is checked out, with a plus where the source or the lock file was changed, and none without a checkout", async () => {
  const folder = join(root, "checkout");
  packageIn(folder);
  expect(await revisionIn(folder)).toBe(null);
  git(folder, "init", "--quiet");
  expect(await revisionIn(folder)).toBe(null);
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "-m", "all");
  const head = git(folder, "rev-parse", "HEAD");
  expect(await revisionIn(folder)).toBe(head);
  writeFileSync(join(folder, "src/new.ts"), "");
  writeFileSync(join(folder, "README.md"), "no source");
  expect(await revisionIn(folder)).toBe(head);
  git(folder, "add", "src/new.ts");
  expect(await revisionIn(folder)).toBe(`${head}+`);
  git(folder, "reset", "--quiet");
  writeFileSync(join(folder, "src/index.ts"), "// another line\n");
  expect(await revisionIn(folder)).toBe(`${head}+`);
  git(folder, "checkout", "--quiet", "--detach");
  git(folder, "checkout", "--quiet", "--", "src");
  expect(await revisionIn(folder)).toBe(head);
  rmSync(join(folder, "package-lock.json"));
  expect(await revisionIn(folder)).toBe(`${head}+`);
});

test("a package that lies unknown in another project's checkout does not state that project's revision", async () => {
  const project = join(root, "project");
  const folder = join(project, "node_modules/rmap");
  packageIn(folder);
  writeFileSync(join(project, "mine.txt"), readFileSync("package.json"));
  git(project, "init", "--quiet");
  git(project, "add", "mine.txt");
  git(project, "commit", "--quiet", "-m", "mine");
  expect(await revisionIn(folder)).toBe(null);
  // Where the project keeps it in its own history, that is its revision.
  git(project, "add", "--force", ".");
  git(project, "commit", "--quiet", "-m", "with rmap");
  expect(await revisionIn(folder)).toBe(git(project, "rev-parse", "HEAD"));
});
