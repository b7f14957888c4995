import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** One file each that breaks a rule: the file, what it imports, and the rule. */
const VIOLATIONS: readonly (readonly [string, string, string])[] = [
  ["src/core/a.ts", "../files/x.js", "core-imports-only-what-lies-below"],
  ["src/gpu/a.ts", "../lap/x.js", "gpu-imports-only-what-lies-below"],
  ["src/pixels/a.ts", "../track/x.js", "pixels-imports-only-what-lies-below"],
  ["src/pixels/b.ts", "../map/x.js", "pixels-imports-only-what-lies-below"],
  ["src/track/a.ts", "../pixels/x.js", "track-imports-only-what-lies-below"],
  ["src/track/b.ts", "../map/x.js", "track-imports-only-what-lies-below"],
  ["src/map/a.ts", "../pixels/x.js", "map-imports-only-what-lies-below"],
  ["src/map/b.ts", "../track/x.js", "map-imports-only-what-lies-below"],
  ["src/map/certificate/a.ts", "../dual/x.js", "certificates-share-nothing-with-solvers"],
  ["src/map/certificate/b.ts", "../../lap/jv/x.js", "certificates-share-nothing-with-solvers"],
  ["src/lap/certificate.ts", "./jv/x.js", "certificates-share-nothing-with-solvers"],
  ["src/lap/auction/certificate.ts", "../jv/x.js", "certificates-share-nothing-with-solvers"],
  ["src/map/exact/margins.ts", "../dual/x.js", "proofs-of-optimality-do-not-search"],
  ["src/map/proof/a.ts", "../exact/x.js", "proofs-are-checked-apart-from-the-solver"],
  ["src/map/proof/b.ts", "../dual/x.js", "proofs-are-checked-apart-from-the-solver"],
  ["src/map/instance/a.ts", "../dual/x.js", "the-instance-stands-alone"],
  ["src/experiments/a.ts", "../gpu/open-session.js", "only-run-opens-a-session"],
  ["src/cli/a.ts", "../gpu/open-session.js", "only-run-opens-a-session"],
  ["src/costs/a.ts", "node:fs", "pure-layers"],
  ["src/elsewhere/a.ts", "../core/x.js", "every-folder-has-a-rule"],
  ["src/run/a.ts", "../experiments/naive/x.js", "naive-engine-is-only-timed"],
  ["src/cli/b.ts", "../../test/x.js", "src-knows-neither-tests-nor-lab"],
  ["src/run/b.ts", "../../lab/x.js", "src-knows-neither-tests-nor-lab"],
  ["lab/lap/a.mjs", "../../src/core/random.js", "the-lab-measures-the-build"],
  ["lab/lap/b.ts", "../../src/core/unlisted.js", "the-lab-names-its-internals"],
  ["lab/lap/c.mjs", "../../dist/core/unlisted.js", "the-lab-names-its-internals"],
  ["lab/truth/bound.ts", "../../src/map/dual/x.js", "truth-is-found-without-the-solver"],
];

test("every layer rule refuses what breaks it", () => {
  const folder = mkdtempSync(join(tmpdir(), "rmap-layers-"));
  try {
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    };
    for (const [file, target] of VIOLATIONS) {
      write(file, `import { x } from "${target}";\nexport const y = x;\n`);
      if (target.startsWith(".")) write(join(dirname(file), target.replace(/\.js$/, ".ts")), "export const x = 1;\n");
    }
    for (const file of [".dependency-cruiser.cjs", "tsconfig.json", "lab/internals.json"])
      cpSync(join(root, file), join(folder, file));
    const options = ["--config", ".dependency-cruiser.cjs", "--output-type", "json", "src", "lab"];
    const file = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
    const { summary } = JSON.parse(
      execFileSync(process.execPath, [file, ...options], { cwd: folder, encoding: "utf8" }),
    ) as { summary: { violations: { from: string; rule: { name: string } }[] } };
    const found = new Set(summary.violations.map(({ from, rule }) => `${from} ${rule.name}`));
    for (const [from, , rule] of VIOLATIONS) expect(found).toContain(`${from} ${rule}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("lab/internals.json lists what the lab imports, and nothing else", () => {
  const files = readdirSync(join(root, "lab"), { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(mjs|ts)$/.test(file),
  );
  const texts = files.map((file) => readFileSync(join(root, "lab", file), "utf8")).join("\n");
  const imported = [...texts.matchAll(/(?:from|import\()\s*"(?:\.\.\/)+(?:dist|src)\/([^"]+)\.js"/g)].map(
    ([, module]) => module,
  );
  expect(JSON.parse(readFileSync(join(root, "lab/internals.json"), "utf8"))).toEqual([...new Set(imported)].sort());
});

test("only src/cli prints or exits", () => {
  // A local worker of a sweep and the process of a shard end when their parent is gone.
  const allowed = ["src/experiments/sweep/pool-worker.ts", "src/run/shards/process.ts"];
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith(".ts") && !file.startsWith("src/cli/"));
  const printing = files.filter((file) =>
    /\bconsole\.|\bprocess\.(stdout|stderr|exit)\b/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(printing).toEqual(allowed);
});
