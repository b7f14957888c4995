import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { succeeds } from "./rmap.js";

test("the first command prints what README.md says it prints", async () => {
  const shown = /```text\n(demo: [\s\S]*?)```/.exec(readFileSync("README.md", "utf8"))?.[1] ?? "";
  const folder = join(mkdtempSync(join(tmpdir(), "rmap-readme-")), "demo");
  const command = ["solve", "scenarios/demo.json", "--device", "cpu", "-o", folder, "-q"];
  const printed = await succeeds(command, { alone: true });
  // Threads and seconds are the machine's, and the gap is rounding alone.
  const same = (text: string) =>
    text
      .replaceAll(folder, "results/demo")
      .replace(/; gap .*$/m, "")
      .replace(/^ {2}ran .*\n/m, "");
  expect(same(printed)).toBe(same(shown));
  expect(Number(/; gap (\S+) %$/m.exec(printed)?.[1])).toBeLessThan(1e-11);
});
