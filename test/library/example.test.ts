import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const docs = readFileSync("docs/how-to/library.md", "utf8");
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(docs)?.[1];

test("docs/how-to/library.md shows example.ts, which prints what the page says", () => {
  const program = readFileSync(new URL("./example.ts", import.meta.url), "utf8");
  expect(block("ts")).toBe(program);
  // It has no types to strip; "rmap" is the built package, as its users have it.
  expect(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" })).toBe(
    block("text"),
  );
});
