import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { allCommands } from "../../src/cli/commands.js";
import { withNamesOfToday } from "../../src/cli/declaration/former-names.js";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { onlyObject, refuses, rmap, scenarios, succeeds } from "./rmap.js";

const parent = temporaryFolder();
const all = await allCommands();
const optionsOf = ({ declared: { options, methods } }: (typeof all)[number]) =>
  [options, ...Object.values(methods?.of ?? {}).map((method) => method.options)].flatMap((one) => Object.entries(one));
const called = all.map((one) => [one.words.join(" "), one] as const);

describe("every declaration", () => {
  test.each(called)(
    "rmap %s: keys are the names of options, texts are sentences, and there is an example",
    (_, one) => {
      const { declared, words } = one;
      for (const [key, option] of optionsOf(one)) {
        // The compiler knows a flag by its key, and commander by its long name.
        if (key !== "noExactArithmetic") expect(option.attributeName()).toBe(key);
        expect(option.description, option.flags).toMatch(/^\S.{8,}$/);
      }
      for (const { says } of Object.values(declared.arguments)) expect(says).toMatch(/\S/);
      expect(declared.summary).toMatch(/^[A-Z].*[.]$/s);
      const examples = [declared, ...Object.values(declared.methods?.of ?? {})].flatMap((shown) => shown.examples);
      expect(examples.join("\n")).toContain(`rmap ${words.join(" ")}`);
    },
  );

  test("names pages that are there", async () => {
    const named = (await succeeds(["help", "--markdown"])).matchAll(/\b(docs|lab)\/[\w/-]+\.md/g);
    for (const [page] of named) expect(existsSync(page), page).toBe(true);
  });

  test("has --json and -q", () => {
    for (const one of all) {
      const names = optionsOf(one).map(([key]) => key);
      expect(names, one.words.join(" ")).toEqual(expect.arrayContaining(["json", "quiet"]));
    }
  });

  test("one name has one description of its default device", () => {
    const devices = all.flatMap((one) => optionsOf(one).filter(([key]) => key === "device"));
    expect(devices.length).toBeGreaterThan(8);
    for (const [, option] of devices) expect(option.defaultValue).toBe("auto");
  });

  test("every default shows as it is typed", async () => {
    for (const [, one] of called) expect(await succeeds([...one.words, "--help"])).not.toMatch(/\{"|\["|\[object/);
  });
});

describe("names of earlier versions", () => {
  const former = all.flatMap((one) =>
    optionsOf(one).flatMap(([, option]) => option.former.map((name) => [one, name] as const)),
  );

  test.each(former)("$words: $1.old", ({ declared }, { old, now }) => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      expect(withNamesOfToday(declared, [old, "x"])).toEqual([...now, "x"]);
      expect(withNamesOfToday(declared, [`${old}=x`])).toEqual([...now, "x"]);
      expect(stderr.mock.calls[0]).toEqual([
        `rmap: note: ${old} is ${now.join(" ")} now; the old name will go with the next version\n`,
      ]);
      expect(withNamesOfToday(declared, ["--", old])).toEqual(["--", old]);
    } finally {
      stderr.mockRestore();
    }
  });

  test("mean what they meant", async () => {
    const cwd = folderWith(parent, {});
    const [today, then] = await Promise.all(
      [
        ["--append", "a.jsonl"],
        ["-o", "b.jsonl"],
      ].map((rows) => rmap(["sweep", join(scenarios, "sweeps/epsilon.json"), "--dry-run", ...rows], { cwd })),
    );
    expect(then.stdout).toBe(today.stdout);
    expect(today.stderr).toBe("");
  });
});

describe("the nearest name", () => {
  test.each([
    [["solve", "a.json", "--ascent", "bundel"], /Did you mean bundle\?/],
    [["detect", "a.png", "--method", "harriss"], /Did you mean harris\?/],
    [["completion", "bahs"], /Did you mean bash\?/],
    [
      ["solve", join(scenarios, "tinny.json")],
      /tinny\.json: there is no such file or folder; did you mean tiny\.json\?/,
    ],
    [[join(scenarios, "tinny.json")], /did you mean tiny\.json\?/],
    [["evaluate", "a.csv", "b.csv", "--require", "idf=3"], /Did you mean idf1\?/],
  ])("%j", async (args, says) => {
    expect(await refuses(args)).toMatch(says);
  });
});

describe("rmap help", () => {
  test("--markdown has every option of every command", async () => {
    const text = await succeeds(["help", "--markdown"]);
    for (const one of all)
      for (const [, option] of optionsOf(one).filter(([, { hidden }]) => !hidden))
        expect(text).toContain(`| \`${option.flags.replace(/\|/g, "\\|")}\` |`);
  });

  test("--schema is a JSON Schema whose limits are those of the command line", async () => {
    const { properties } = JSON.parse(await succeeds(["help", "--schema"]));
    expect(properties.seed.maximum).toBe(2 ** 32 - 1);
    expect(properties.solve.properties.iterations).toMatchObject({ type: "integer", minimum: 1, maximum: 1e9 });
  });
});

/** A .npy file of bytes. */
const npyOf = (shape: string, bytes: number) => {
  const head = `{'descr': '|u1', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117);
  return Buffer.from(`\x93NUMPY\x01\0v\0${head}\n${"\0".repeat(bytes)}`, "latin1");
};

describe("rmap FILE", () => {
  test("solves a scenario, and makes the page of a folder of results", async () => {
    const cwd = folderWith(parent, {});
    const tiny = join(scenarios, "tiny.json");
    const solved = await rmap([tiny, "--device", "cpu", "--json", "-o", "out"], { cwd });
    expect(solved.stderr).toBe(`rmap: note: ${tiny} is a scenario: rmap solve ${tiny} --device cpu --json -o out\n`);
    expect(onlyObject(solved.stdout)).toMatchObject({ name: "tiny" });
    const page = await rmap(["out"], { cwd });
    expect(page).toMatchObject({ code: 0, stdout: expect.stringContaining("out/page.html") });
    const checked = await rmap(["out/proof.json", tiny], { cwd });
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining("the proof holds") });
    await succeeds(["simulate", tiny, "-o", "d.csv"], { cwd });
    const scored = await rmap(["out/tracks.csv", "d.csv"], { cwd });
    expect(scored).toMatchObject({ code: 0, stdout: expect.stringContaining("IDF1") });
    expect(await refuses(["out/tracks.csv"], { cwd })).toMatch(/holds tracks.*give rmap out\/tracks\.csv DETECTIONS/);
  });

  test.each([
    // An array of one row of three columns, and an image of 16² pixels.
    ["a.npy", npyOf("(1, 3)", 3), /^rmap: note: a\.npy is detections: rmap solve a\.npy\n/],
    ["b.npy", npyOf("(16, 16)", 256), /is an image or a sequence: rmap detect b\.npy --method blobs\n/],
    ["a.npz", {}, /^rmap: note: a\.npz is detections: rmap solve a\.npz\n/],
    [
      "sweep.json",
      { name: "s", base: {}, seeds: {} },
      /is a sweep, whose runs are listed: rmap sweep sweep\.json --dry-run/,
    ],
    ["baseline.json", { cases: [] }, /is a baseline: rmap regress/],
    ["a.jsonl", {}, /is rows of results: rmap report a\.jsonl -o a\.html/],
    ["a.png", {}, /is an image or a sequence: rmap detect a\.png/],
    ["film.TIF", {}, /is an image or a sequence: rmap detect film\.TIF/],
  ])("%s", async (file, content, says) => {
    const cwd = folderWith(parent, { [file]: Buffer.isBuffer(content) ? content : JSON.stringify(content) });
    expect((await rmap([file], { cwd })).stderr).toMatch(says);
  });

  test("finds spots in a folder of images, or what --method names, and tells folders of tracks from others", async () => {
    const images = join(scenarios, "images", "spots");
    const found = await rmap([images]);
    expect(found.stderr).toBe(`rmap: note: ${images} is a folder of images: rmap detect ${images} --method blobs\n`);
    expect(found.stdout.match(/ spots of score /g)).toHaveLength(16);
    const edges = await rmap([images, "--method=sift", "--json"]);
    expect(edges.stderr).toContain(`rmap detect ${images} --method=sift --json\n`);
    for (const file of ["res_track.txt", ".zgroup"])
      expect(await refuses([folderWith(parent, { [file]: "" })])).toMatch(/holds tracks, and no detections/);
    expect(await refuses([folderWith(parent, { "a.txt": "" })])).toMatch(
      /no results, no instance, no tracks and no images/,
    );
  });

  test("a command goes before a file of its name", async () => {
    const cwd = folderWith(parent, {});
    mkdirSync(join(cwd, "solve"));
    expect(await refuses(["solve"], { cwd })).toMatch(/missing required argument 'input'/);
  });
});

describe("rmap completion bash", () => {
  const words = (script: string, ...typed: string[]) => {
    const cwd = folderWith(parent, { "my.csv": "" });
    writeFileSync(join(cwd, "completion"), script);
    const line = `. ./completion; COMP_WORDS=(${typed.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${typed.length - 1}; _rmap; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", line], { cwd, encoding: "utf8" }).trim().split("\n");
  };

  test("completes commands, options, their values, and files", async () => {
    const script = await succeeds(["completion", "bash"]);
    expect(words(script, "rmap", "sol")).toEqual(["solve"]);
    expect(words(script, "rmap", "solve", "--dev")).toEqual(["--device"]);
    expect(words(script, "rmap", "solve", "x", "--ascent", "b")).toEqual(["bundle", "bidirectional"]);
    expect(words(script, "rmap", "bench", "l")).toEqual(["lap"]);
    expect(words(script, "rmap", "bench", "lap", "--laps", "")).toEqual(["together", "one-by-one"]);
    expect(words(script, "rmap", "solve", "my")).toEqual(["my.csv"]);
    expect(words(script, "rmap", "solve", "x", "--links", "my")).toEqual(["my.csv"]);
  });

  test.each(["zsh", "fish"])("of %s has every command", async (shell) => {
    const script = await succeeds(["completion", shell]);
    for (const { words } of all) expect(script).toContain(words.at(-1) as string);
  });
});
