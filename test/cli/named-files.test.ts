import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Argument, Command, Option } from "commander";
import { describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/commands.js";
import { commandOf } from "../../src/cli/declaration/build.js";
import type { FileParser } from "../../src/cli/options/files.js";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { program, refuses, scenarios, succeeds } from "./rmap.js";

const parent = temporaryFolder();

/** Every command that does something, with the words that call it; one that works by methods once for each. */
const commands = (await allCommands()).flatMap(({ words, declared }) => {
  const { methods } = declared;
  const ways = methods === undefined ? [[]] : Object.keys(methods.of).map((name) => ["--method", name]);
  return ways.map((way) => {
    const command = commandOf(words.at(-1) as string, declared, way, async () => []);
    return { words: [...words, ...way], command };
  });
});

/** An argument or an option that names files. */
interface Named {
  readonly of: Argument | Option;
  readonly parser: FileParser<unknown>;
}

function namedBy(command: Command): Named[] {
  return [...command.registeredArguments, ...command.options].flatMap((of) => {
    const parser = of.parseArg as unknown;
    return typeof parser === "function" && "files" in parser ? [{ of, parser: parser as FileParser<unknown> }] : [];
  });
}

const isOption = (of: Argument | Option): of is Option => "flags" in of;
const labelOf = ({ of }: Named) => (isOption(of) ? (of.long as string) : `<${of.name()}>`);

/** The first of the files that are written in the folder "out"; null where a file is named. */
const inFolder = ({ parser }: Named): string | null =>
  parser.use === "written" ? ((parser.files("out")[1] as string | undefined) ?? null) : null;

/** Names that a parser takes only with their ending. */
const NAMES: Readonly<Record<string, string>> = { "--cost": "input.mjs", "model --output": "written.lp" };
const CONTENT = "vx,vy\n0,0\n1,0\n";

/** The words for a use of the command in which these arguments and options have these files, and what else it needs has others. */
function wordsOf({ words, command }: (typeof commands)[number], given: ReadonlyMap<Argument | Option, string>) {
  const args = command.registeredArguments.flatMap(
    (argument) => given.get(argument) ?? (argument.required ? ["other.csv"] : []),
  );
  const options = command.options.flatMap((option) => {
    const file = given.get(option);
    if (file !== undefined) return [option.long as string, file];
    if (!option.mandatory || words.includes(option.long as string)) return [];
    return [option.long as string, option.argChoices?.[0] ?? "elsewhere.lp"];
  });
  return [...words, ...args, ...options];
}

/** What a file is at the place where the command writes: the input itself, or a link to it. */
const LINKS = {
  itself: null,
  "a symbolic link": (input: string, place: string) => symlinkSync(input, place),
  "a hard link": (input: string, place: string) => linkSync(input, place),
} as const;

interface Case {
  readonly words: readonly string[];
  readonly first: Named;
  readonly second: Named;
  readonly called: (typeof commands)[number];
}

/** Every pair of a written file and another that the command reads or writes; of a file and a folder that are written the folder first. */
const cases: Case[] = commands.flatMap((called) => {
  const named = namedBy(called.command);
  const order = (one: Named) => (one.parser.use === "read" ? 2 : inFolder(one) === null ? 1 : 0);
  const ordered = named.toSorted((a, b) => order(a) - order(b));
  return ordered.flatMap((first, n) =>
    first.parser.use === "read"
      ? []
      : ordered.slice(n + 1).map((second) => ({ words: called.words, first, second, called })),
  );
});

const nameOf = ({ words, first, second }: Case) => `${words.join(" ")}, ${labelOf(first)} and ${labelOf(second)}`;

describe("whatever names a file on a command line is known as read or written", () => {
  test("there are cases for every command that writes what it is told to, beside something else", () => {
    const covered = [...new Set(cases.map(({ words }) => words.join(" ").replace(/ --method .*/, "")))].sort();
    expect(covered).toEqual([
      "bench baselines",
      "detect",
      "export",
      "fit-links",
      "flow",
      "follow",
      "link",
      "match",
      "merge",
      "model",
      "page",
      "render",
      "report",
      "simulate",
      "slurm",
      "solve",
      "summary",
      "sweep",
      "track",
    ]);
  });

  test.each(commands.map((one) => [one.words.join(" "), one.command] as const))("rmap %s", (_, command) => {
    for (const argument of command.registeredArguments)
      if (argument.name() !== "shell") expect(argument.parseArg, argument.name()).toHaveProperty("files");
    const naming = namedBy(command).map(({ of }) => of);
    for (const option of command.options) {
      if (!(option.required || option.optional) || naming.includes(option) || option.argChoices !== undefined) continue;
      expect(option.flags).not.toMatch(/<(file|folder|path|rows|images?|set)>/);
      // Whatever else has values says by a parser what they are.
      expect(option.parseArg, option.flags).toBeDefined();
    }
  });
});

describe.each(Object.keys(LINKS) as (keyof typeof LINKS)[])(
  "an output that is an input or another output: %s",
  (how) => {
    test.each(cases.map((one) => [nameOf(one), one] as const))(
      "rmap %s",
      async (_, { words, first, second, called }) => {
        const cwd = folderWith(parent, { "other.csv": CONTENT });
        const endings = [NAMES[`${words.join(" ")} ${labelOf(first)}`], NAMES[labelOf(second)]];
        const place = inFolder(first) ?? endings[0] ?? "written.csv";
        const link = LINKS[how];
        const input = link === null ? place : (endings[1] ?? "input.csv");
        if (inFolder(first) !== null) mkdirSync(join(cwd, "out"));
        writeFileSync(join(cwd, input), CONTENT);
        link?.(join(cwd, input), join(cwd, place));
        const given = new Map([
          [first.of, inFolder(first) === null ? place : "out"],
          // With the slash it may be the file of a cost, too.
          [second.of, `./${input}`],
        ]);
        const before = readdirSync(cwd, { recursive: true });
        const line = await refuses(wordsOf(called, given), { cwd });
        expect(line).toMatch(/is the same file as|is a link, and results are not written through links/);
        expect(readFileSync(join(cwd, input), "utf8")).toBe(CONTENT);
        expect(readdirSync(cwd, { recursive: true })).toEqual(before);
      },
    );
  },
);

const DETECTIONS = "frame,x,y\n0,0,0\n0,9,9\n1,1,0\n1,9,8\n2,2,0\n2,9,7\n";

/** Runs a line of a shell with "$rmap" for the program. */
function shell(cwd: string, line: string) {
  const env = { ...process.env, rmap: program, node: process.execPath };
  const { status, stderr } = spawnSync("sh", ["-c", line.replaceAll("rmap ", '"$node" "$rmap" ')], {
    cwd,
    env,
    encoding: "utf8",
  });
  return { status, stderr };
}

describe("refused too", () => {
  test.each([
    ["rmap track - -o a.csv < a.csv", /--output: a\.csv is the same file as -, which <detections> reads/],
    ["rmap solve - --window 5 --append a.csv < a.csv", /--append: a\.csv is the same file as -/],
    ["rmap track a.csv >> a.csv", /standard output: \S+ is the same file as a\.csv, which <detections> reads/],
  ])("a file that is standard input or output: %s", (line, says) => {
    const cwd = folderWith(parent, { "a.csv": DETECTIONS });
    const { status, stderr } = shell(cwd, line);
    expect(status).toBe(2);
    expect(stderr).toMatch(says);
    expect(readFileSync(join(cwd, "a.csv"), "utf8")).toBe(DETECTIONS);
  });

  test("the recording that a scenario names, and the base of a sweep", async () => {
    const scenario = JSON.stringify({ name: "a", detections: { file: "o/tracks.csv" } });
    const sweep = JSON.stringify({ name: "b", base: "s.json", grid: { seed: [1] } });
    const cwd = folderWith(parent, { "s.json": scenario, "sweep.json": sweep });
    mkdirSync(join(cwd, "o"));
    writeFileSync(join(cwd, "o/tracks.csv"), DETECTIONS);
    expect(await refuses(["solve", "s.json", "-o", "o"], { cwd })).toMatch(/o\/tracks\.csv is the same file as /);
    for (const file of ["s.json", "o/tracks.csv"])
      expect(await refuses(["sweep", "sweep.json", "--append", file], { cwd })).toMatch(/is the same file as /);
    expect(readFileSync(join(cwd, "o/tracks.csv"), "utf8")).toBe(DETECTIONS);
    expect(readFileSync(join(cwd, "s.json"), "utf8")).toBe(scenario);
  });

  test("two outputs that are one file that is not there yet, by a link that leads there", async () => {
    const cwd = folderWith(parent, { "a.csv": DETECTIONS });
    symlinkSync("new.csv", join(cwd, "link.csv"));
    const args = ["track", "a.csv", "-o", "new.csv", "--line", "x=1", "--decisions", "link.csv"];
    expect(await refuses(args, { cwd })).toMatch(/is the same file as /);
    expect(readdirSync(cwd).sort()).toEqual(["a.csv", "link.csv"]);
  });

  test("links in a folder, which may lead to files that nobody named", async () => {
    const cwd = folderWith(parent, { "a.csv": DETECTIONS, "mine.csv": "mine" });
    mkdirSync(join(cwd, "o"));
    for (const options of [[], ["--window", "3"]]) {
      for (const target of ["../mine.csv", "../nothing.csv"]) {
        rmSync(join(cwd, "o/tracks.csv"), { force: true });
        symlinkSync(target, join(cwd, "o/tracks.csv"));
        expect(await refuses(["solve", "a.csv", ...options, "-o", "o"], { cwd })).toMatch(/o\/tracks\.csv: is a link/);
      }
    }
    expect(readFileSync(join(cwd, "mine.csv"), "utf8")).toBe("mine");
  });

  test("images of a folder, several images beside themselves, and two of one name", async () => {
    const image = "P2 2 2 9 1 2 3 4\n";
    const cwd = folderWith(parent, { "a.pgm": image, "b.pgm": image });
    mkdirSync(join(cwd, "png"));
    await succeeds(["detect", "a.pgm", "--method", "sobel", "-o", "a.png"], { cwd });
    await succeeds(["detect", "b.pgm", "--method", "sobel", "-o", "png/a.png"], { cwd });
    const images = ["a.png", "png/a.png"];
    const bytes = images.map((file) => readFileSync(join(cwd, file)));
    expect(await refuses(["detect", ...images, "--method", "sobel", "-o", "."], { cwd })).toMatch(
      /--output of \S+: a\.png is the same file as a\.png, which /,
    );
    expect(await refuses(["detect", ...images, "--method", "sift", "-o", "new"], { cwd })).toMatch(
      /--output of png\/a\.png: new\/a\.csv is the same file as new\/a\.csv, which --output of a\.png writes/,
    );
    const sequence = ["detect", "png", "--method", "before-detect", "-o", "png/a.png"];
    expect(await refuses(sequence, { cwd })).toMatch(/is the same file as png\/a\.png, which <image> reads/);
    expect(images.map((file) => readFileSync(join(cwd, file)))).toEqual(bytes);
  });
});

describe("what is meant is not refused", () => {
  test("results that are called as their scenario is, made again", async () => {
    const tiny = JSON.parse(readFileSync(join(scenarios, "tiny.json"), "utf8"));
    const cwd = folderWith(parent, { "s.json": JSON.stringify({ ...tiny, name: "again" }) });
    for (const _ of [1, 2]) await succeeds(["simulate", "s.json", "-o", "again"], { cwd });
  });

  test("rows are appended to rows, and a run is written over an earlier one of the same input", async () => {
    const cwd = folderWith(parent, { "a.csv": DETECTIONS });
    for (const rows of [1, 2]) {
      await succeeds(["solve", "a.csv", "-o", ".", "--append", "rows.jsonl"], { cwd });
      expect(readFileSync(join(cwd, "rows.jsonl"), "utf8").trimEnd().split("\n")).toHaveLength(rows);
      await succeeds(["report", ".", "rows.jsonl", "-o", "report.html"], { cwd });
    }
    const sweep = JSON.stringify({ name: "b", base: join(scenarios, "tiny.json"), seeds: { from: 1, count: 2 } });
    writeFileSync(join(cwd, "sweep.json"), sweep);
    for (const _ of [1, 2]) await succeeds(["sweep", "sweep.json", "--append", "sweep.jsonl", "-q"], { cwd });
    expect(readFileSync(join(cwd, "sweep.jsonl"), "utf8").trimEnd().split("\n")).toHaveLength(2);
  });

  test("what is linked to the tracks of an earlier run stays as it is", async () => {
    const cwd = folderWith(parent, { "a.csv": DETECTIONS });
    for (const options of [["--window", "3"], []]) {
      mkdirSync(join(cwd, "o"), { recursive: true });
      writeFileSync(join(cwd, "o/tracks.csv"), "mine");
      linkSync(join(cwd, "o/tracks.csv"), join(cwd, `kept${options.length}.csv`));
      await succeeds(["solve", "a.csv", ...options, "-o", "o"], { cwd });
      expect(readFileSync(join(cwd, `kept${options.length}.csv`), "utf8")).toBe("mine");
    }
  });

  test("what else is in the folder of unfinished windows stays", async () => {
    const cwd = folderWith(parent, {});
    mkdirSync(join(cwd, "o/unfinished"), { recursive: true });
    writeFileSync(join(cwd, "o/unfinished/a.csv"), DETECTIONS);
    await succeeds(["solve", "o/unfinished/a.csv", "--window", "3", "-o", "o"], { cwd });
    expect(readdirSync(join(cwd, "o/unfinished"))).toEqual(["a.csv"]);
  });
});

test("rows are not written to a named pipe, whose reader may never come", async () => {
  const cwd = folderWith(parent, { "a.csv": DETECTIONS });
  spawnSync("mkfifo", [join(cwd, "pipe")]);
  for (const options of [
    ["-o", "pipe"],
    ["--line", "x=1", "--decisions", "pipe"],
  ])
    expect(await refuses(["track", "a.csv", ...options], { cwd, limit: 20_000 })).toMatch(/pipe: is a named pipe/);
});
