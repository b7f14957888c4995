import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { refuses, rmap } from "./rmap.js";

const parent = temporaryFolder();
/** Clears the screen, sets the title, starts a line, turns the direction of writing, and separates lines for some readers. */
const nasty = "a\u001b[2J\u001b]0;owned\u0007\nb\u009b31m\u202ec\u2028d";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const raw = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/;

test("names reach the terminal with every control character visible", async () => {
  const simulation = { targets: 4, frames: 4 };
  const sweep = { name: nasty, base: { name: nasty, simulation }, grid: { cost: ["spline"] } };
  const cwd = folderWith(parent, {
    "s.json": JSON.stringify({ name: nasty, simulation }),
    "w.json": JSON.stringify(sweep),
    "bad.json": JSON.stringify({ name: "x", simulation, [nasty]: 1 }),
    "c.csv": `frame,x,y,${nasty.replace("\n", "")}\n${[0, 1, 2].map((p) => `${p},${p},0,7\n${p},${p},9,7\n`).join("")}`,
  });
  const shown = "a\\u001b[2J\\u001b]0;owned\\u0007\\u000ab\\u009b31m\\u202ec\\u2028d";
  const calls = [
    ["solve", "s.json", "--append", "rows.jsonl"],
    ["solve", "s.json", "--json"],
    ["sweep", "w.json", "--append", "w.jsonl"],
    ["sweep", "w.json", "--append", "w.jsonl", "--json"],
    ["report", "rows.jsonl", "-o", "r.html"],
  ];
  for (const call of calls) {
    const { code, stdout, stderr } = await rmap(call, { cwd });
    expect({ code, stderr }, call.join(" ")).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toMatch(raw);
    if (call.includes("--json")) expect(Object.values(JSON.parse(stdout))).toContain(nasty);
    else if (call[0] !== "report") expect(stdout.startsWith(`${shown}: `)).toBe(true);
  }
  const noted = await rmap(["track", "c.csv", "-o", "t.csv"], { cwd });
  expect(noted.stdout + noted.stderr).toMatch(/Columns not read: a\\u001b/);
  expect(noted.stdout + noted.stderr).not.toMatch(raw);
  for (const bad of [["solve", "bad.json"], ["solve", nasty], [nasty], ["solve", "s.json", `--cost=${nasty}`]]) {
    expect(await refuses(bad, { cwd })).not.toMatch(raw);
  }
});

test("a report survives line separators and patterns of replacement in names, and runs no script but its own", async () => {
  const cwd = folderWith(parent, { "s.json": JSON.stringify({ name: "base", simulation: { targets: 4, frames: 4 } }) });
  await rmap(["solve", "s.json", "--append", "rows.jsonl", "-o", "out"], { cwd });
  const row = JSON.parse(readFileSync(join(cwd, "rows.jsonl"), "utf8"));
  const names = ["line\u2028separator", "cash $' $& $` $1", "</script><script>alert(1)</script>"];
  const rows = names.flatMap((name) => ["rmap", "bundle"].map((ascent) => JSON.stringify({ ...row, name, ascent })));
  writeFileSync(join(cwd, "named.jsonl"), `${rows.join("\n")}\n`);
  for (const name of names) {
    const result = join(cwd, "out", "result.json");
    writeFileSync(result, JSON.stringify({ ...JSON.parse(readFileSync(result, "utf8")), name }));
    const { code, stderr } = await rmap(["report", "named.jsonl", "out", "-o", "r.html"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const html = readFileSync(join(cwd, "r.html"), "utf8");
    if (name.startsWith("cash")) {
      const labels = [...html.matchAll(/aria-label="([^"]*cash[^"]*)"/g)].map(([, label]) => label);
      expect(labels.length).toBeGreaterThan(0);
      for (const label of labels) expect(label).toContain("cash $' $&amp; $` $1");
    }
    expect([...html.matchAll(/<script/g)]).toHaveLength(1);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    expect(policy).toMatch(/script-src 'sha256-[^']+'; .*base-uri 'none'; form-action 'none'$/);
    expect(html.match(/<svg/g)?.length).toBe(html.match(/<\/svg>/g)?.length);
  }
});

test("a page of a folder that names another file as its source does not hold that file", async () => {
  const detections = "frame,x,y\n0,1,2\n0,5,6\n1,1.1,2\n1,5.1,6\n2,1.2,2\n2,5.2,6\n";
  const cwd = folderWith(parent, {
    "d.csv": detections,
    "secret.txt": "password: hunter2\n",
    "secret.csv": detections.replace("5.2", "5.3"),
  });
  await rmap(["solve", "d.csv", "-o", "out"], { cwd });
  const result = join(cwd, "out", "result.json");
  const own = JSON.parse(readFileSync(result, "utf8"));
  for (const [file, isHeld] of [
    [join(cwd, "d.csv"), true],
    [join(cwd, "secret.txt"), false],
    [join(cwd, "secret.csv"), false],
    ["/etc/passwd", false],
  ] as const) {
    const source = { kind: "detections", file };
    writeFileSync(result, JSON.stringify({ ...own, scenario: { ...own.scenario, source } }));
    const { code, stdout, stderr } = await rmap(["page", "out", "-o", "p.html"], { cwd });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toMatch(/hunter2|root:/);
    const page = readFileSync(join(cwd, "p.html"), "utf8");
    const [, data = ""] = /<script type="text\/plain" id="data">([^<]*)/.exec(page) ?? [];
    const held = Object.keys(unzipSync(Buffer.from(data, "base64")));
    expect(held).toContain("out/tracks.csv");
    expect(held.some((name) => file.endsWith(name.split("/").at(-1) as string))).toBe(isHeld);
  }
});
