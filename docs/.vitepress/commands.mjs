// Runs every command of the pages, and compares what it prints with what the page shows.
//
//   node docs/.vitepress/commands.mjs [--nightly] [--update] [page…]
//
// --update writes the lines that are printed now into the pages, for a person to read and commit.
//
// A page's ```sh blocks run one after another in a copy of the repository of their own, as a reader would type them. A ```text block right
// after one must be printed by it: its lines in their order, times and sizes of memory aside; a line of "…" stands for any number of lines.
// A comment on the line before a block says otherwise:
//   <!-- not run: reason -->   never run, since it needs what is not in the repository
//   <!-- nightly -->           takes longer, and runs with --nightly alone
//   <!-- exit 3 -->            must end with this code instead of 0
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { writtenPages } from "./pages.mjs";

const ROOT = path.join(import.meta.dirname, "..", "..");
const MOST_SECONDS = 300;
/** Starting npx takes longer than rmap itself; .ci/run starts README's command as it stands. */
const PRELUDE = `npx() { if [[ $1 == rmap ]]; then shift; node "$PWD/dist/cli/main.js" "$@"; else command npx "$@"; fi; }\n`;

const nightly = process.argv.includes("--nightly");
const update = process.argv.includes("--update");
const named = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const pages = named.length > 0 ? named : [...writtenPages().map((file) => path.posix.join("docs", file)), "README.md"];
const queue = pages.map((page) => ({ page, blocks: blocksOf(page) })).filter(({ blocks }) => blocks.length > 0);
const failures = [];
let ran = 0;
const began = performance.now();
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
console.log(
  `${ran} blocks of commands in ${Math.round((performance.now() - began) / 1000)} s, ${failures.length} failed`,
);
for (const failure of failures) console.error(`\n${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;

async function work() {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const folder = copyOfRepository();
    const start = performance.now();
    for (const block of next.blocks) await check(next.page, block, folder);
    rmSync(folder, { recursive: true, force: true });
    console.log(`${next.page}: ${next.blocks.length} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
}

async function check(page, { line, commands, shown, code }, folder) {
  ran++;
  const { output, ended } = await run(commands, folder);
  const place = `${page}:${line}`;
  if (ended !== code)
    failures.push(`${place}: ended with ${ended} instead of ${code}\n${commands}${output.slice(-2000)}`);
  const missing = shown === null ? null : firstMissing(shown, output);
  if (missing !== null && update) rewrite(page, shown, printedNow(shown, output));
  if (missing !== null) failures.push(`${place}: does not print\n  ${missing}\nbut\n${output.slice(-3000)}`);
}

function run(commands, folder) {
  return new Promise((done) => {
    const child = spawn("bash", ["-euo", "pipefail", "-c", PRELUDE + commands], {
      cwd: folder,
      timeout: MOST_SECONDS * 1000,
    });
    let output = "";
    child.stdout.on("data", (part) => (output += part));
    child.stderr.on("data", (part) => (output += part));
    child.on("close", (ended, signal) => done({ output, ended: ended ?? signal }));
  });
}

/** The first line that is shown and not printed after those before it, or null. */
function firstMissing(shown, output) {
  const printed = lines(output);
  let at = 0;
  let anywhere = true;
  for (const line of lines(shown)) {
    if (line === "…") {
      anywhere = true;
      continue;
    }
    const found = printed.indexOf(line, at);
    if (found === -1 || (!anywhere && found !== at)) return line;
    at = found + 1;
    anywhere = false;
  }
  return null;
}

/** What a block shows, with each run of lines between "…" taken from where the output is most like its first line. */
function printedNow(shown, output) {
  const printed = output.split("\n").filter((line) => line.trim() !== "");
  const likeness = (line) => line.replace(/[\d.]+/g, "#").trim();
  const common = (a, b) => [...a].findIndex((letter, n) => letter !== b[n]);
  let at = 0;
  return shown
    .split(/^( *…\n)/m)
    .flatMap((run) => {
      const wanted = run.trimEnd().split("\n");
      if (run === "" || run.trim() === "…") return [run];
      const score = (line) => {
        const same = common(likeness(wanted[0]), likeness(line));
        return same < 0 ? Number.POSITIVE_INFINITY : same;
      };
      const best = printed
        .slice(at)
        .reduce((most, line, n) => (score(line) > score(printed[most]) ? at + n : most), at);
      at = best + wanted.length;
      return [`${printed.slice(best, at).join("\n")}\n`];
    })
    .join("");
}

function rewrite(page, shown, now) {
  const file = path.join(ROOT, page);
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text.replace(`\`\`\`text\n${shown}\`\`\``, () => `\`\`\`text\n${now}\`\`\``),
  );
}

/** Lines without blanks at their ends, and with every time and size of memory the same. */
function lines(text) {
  return text
    .split("\n")
    .map((line) =>
      line
        .replace(/\d+(\.\d+)?(e-?\d+)? ?(µs|us|ms|s|min|MB|GB|MiB|GiB)\b/g, "# $3")
        .trim()
        .replace(/\s+/g, " "),
    )
    .filter((line) => line !== "");
}

/** Blocks of commands of a page: the line they begin at, what the page shows after them, and the exit code they must have. */
function blocksOf(page) {
  const text = readFileSync(path.join(ROOT, page), "utf8");
  const block = /^(?:<!-- (.+?) -->\n)?```sh\n([\s\S]*?)^```\n(?:\n*^```text\n([\s\S]*?)^```\n)?/gm;
  return [...text.matchAll(block)].flatMap((found) => {
    const [, note = "", commands, shown = null] = found;
    if (note.startsWith("not run: ") || (note === "nightly" && !nightly)) return [];
    const code = Number(/^exit (\d+)$/.exec(note)?.[1] ?? 0);
    const line = text.slice(0, found.index).split("\n").length;
    return [{ line, commands, shown, code }];
  });
}

/** The tracked files and the build. */
function copyOfRepository() {
  const folder = mkdtempSync(path.join(tmpdir(), "rmap-docs-"));
  const tracked = execFileSync(
    "git",
    ["ls-files", "-z", "--", "package.json", "scenarios", "instances", "results", "test", "docs", "src"],
    { cwd: ROOT, encoding: "utf8" },
  );
  for (const file of tracked.split("\0").filter(Boolean)) {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    cpSync(path.join(ROOT, file), path.join(folder, file));
  }
  for (const built of ["dist", "node_modules"]) symlinkSync(path.join(ROOT, built), path.join(folder, built));
  return folder;
}
