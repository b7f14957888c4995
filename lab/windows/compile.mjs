/**
 * CPU seconds of short commands with what rmap tells V8 about compiling (src/core/compile-less.ts), and without it, in turn: a row each run.
 *
 *     node lab/windows/compile.mjs ROUNDS FILE
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";

const [rounds, file] = process.argv.slice(2);
const root = fileURLToPath(new URL("../..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "compile-"));
const windows = ["--window", "209", "--learn", "300", "--threads", "1", "-o", join(work, "out")];
/** Six windows each, of the crowds of cores.sh. */
const crowds = { 12: 14, 24: 20 };
const commands = {
  demo: ["scenarios/demo.json"],
  opensky: ["scenarios/data/opensky_uk_60s.csv"],
  zara: ["scenarios/data/ucy_zara02_0.8s.csv"],
  ...Object.fromEntries(Object.keys(crowds).map((t) => [`crowd of ${t}`, [join(work, `${t}.csv`), ...windows]])),
};
for (const [targets, field] of Object.entries(crowds)) {
  const { stdout } = spawnSync(process.execPath, ["lab/windows/long.mjs", "1254", targets, "1", String(field)], {
    cwd: root,
    maxBuffer: 2 ** 30,
  });
  writeFileSync(join(work, `${targets}.csv`), stdout);
}
writeFileSync(
  join(work, "by-itself.cjs"),
  'require("node:v8").setFlagsFromString = () => {};\nrequire("node:module").syncBuiltinESMExports();\n',
);
for (let round = 0; round < Number(rounds); round++) {
  for (const [command, args] of Object.entries(commands)) {
    for (const less of [false, true]) {
      const spent = join(work, "cpu");
      rmSync(spent, { force: true });
      const preload = ["./lab/windows/cpu.cjs", ...(less ? [] : [join(work, "by-itself.cjs")])].flatMap((module) => [
        "-r",
        module,
      ]);
      const { status } = spawnSync(process.execPath, [...preload, "dist/cli/main.js", "solve", ...args, "-q"], {
        cwd: root,
        env: { ...process.env, CPU_FILE: spent },
        maxBuffer: 2 ** 30,
      });
      if (status !== 0) throw new Error(`solve ${args.join(" ")} ended with ${status}`);
      rmSync(join(work, "out"), { recursive: true, force: true });
      const row = {
        benchmark: "compile-less",
        command,
        less,
        ...JSON.parse(readFileSync(spent, "utf8")),
        ...provenance(new Date()),
      };
      console.log(JSON.stringify(keepRow(file, row)));
    }
  }
}
rmSync(work, { recursive: true });
