import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const FILES = [
  ...["motion", "density", "places"].flatMap((folder) =>
    readdirSync(join(ROOT, "src/costs", folder)).map((name) => join("src/costs", folder, name)),
  ),
  "src/run/motion-passes.ts",
  "src/costs/cost.ts",
];

/** Numbers with a name at the top of a file, as `file.NAME value`; objects of words are no constants. */
function constantsOf(file: string): string[] {
  const name = file.replace(/.*\/|\.ts$/g, "");
  const found = readFileSync(join(ROOT, file), "utf8").matchAll(/^(?:export )?const ([A-Z_]+)[^=\n]* = ([^;"]+);$/gm);
  return [...found]
    .filter(([, , value]) => /\d/.test(value) && !value.includes("null"))
    .map(([, constant, value]) => `${name}.${constant} ${value.replace(/(?<=\d)_|\s+as const/g, "")}`);
}

test("the table of lab/notes/motion.md has every constant of the cost motion with its value, and no other", () => {
  const page = readFileSync(join(ROOT, "lab/notes/motion.md"), "utf8");
  const table = page.slice(page.indexOf("\n## 8. "), page.indexOf("\n## 9. "));
  const listed = [...table.matchAll(/`([a-z-]+\.[A-Z_]+ [^`]+)`/g)].map(([, constant]) => constant);
  expect(listed.sort()).toEqual(FILES.flatMap(constantsOf).sort());
});
