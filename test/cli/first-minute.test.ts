import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/commands.js";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { refuses, rmap, scenarios, succeeds } from "./rmap.js";

const parent = temporaryFolder();
const before = process.env.BROWSER;
afterEach(() => {
  if (before === undefined) delete process.env.BROWSER;
  else process.env.BROWSER = before;
});

describe("rmap init", () => {
  test("the folder that init writes is no instance, and is not said to be one", async () => {
    const cwd = temporaryFolder();
    await succeeds(["init", "example"], { cwd });
    expect(await refuses(["example"], { cwd })).toBe(
      "rmap: example: holds no results, no instance, no tracks and no images; name a file in it\n",
    );
  });

  test("writes a recording and a scenario for it, which are solved alike, and touches no file that is there", async () => {
    const folder = folderWith(parent, {});
    const told = await succeeds(["init", "example"], { cwd: folder });
    expect(told).toMatch(/^ {2}next +rmap solve example\/detections.csv -o example\/tracks --open$/m);
    const solved = await Promise.all(
      ["example/detections.csv", "example/scenario.json"].map(async (file) => {
        const { lowerBound, upperBound, scores } = JSON.parse(
          await succeeds(["solve", file, "--json"], { cwd: folder }),
        );
        return { lowerBound, upperBound, scores };
      }),
    );
    expect(solved[0]).toEqual(solved[1]);
    expect(solved[0].scores.idf1).toBeGreaterThan(95);
    const detections = readFileSync(join(folder, "example/detections.csv"), "utf8");
    expect(await refuses(["init", "example"], { cwd: folder })).toBe(
      "rmap: example/detections.csv: is there already; name another folder: rmap init FOLDER\n",
    );
    expect(readFileSync(join(folder, "example/detections.csv"), "utf8")).toBe(detections);
  });
});

describe("--open", () => {
  const tiny = join(scenarios, "tiny.json");

  test("calls the program of BROWSER with the picture", async () => {
    const folder = folderWith(parent, { browser: '#!/bin/sh\necho "$1" > shown\n' });
    chmodSync(join(folder, "browser"), 0o755);
    process.env.BROWSER = join(folder, "browser");
    await succeeds(["solve", tiny, "-o", "out", "--open"], { cwd: folder });
    for (let waited = 0; !existsSync(join(folder, "shown")) && waited < 5000; waited += 20) await wait(20);
    await wait(20);
    expect(readFileSync(join(folder, "shown"), "utf8")).toBe("out/tracks.svg\n");
  });

  test("says which program is missing, and that the file is written all the same", async () => {
    const folder = folderWith(parent, {});
    process.env.BROWSER = join(folder, "none");
    const { code, stdout, stderr } = await rmap(["solve", tiny, "-o", "out", "--open"], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain("out/tracks.svg");
    expect(stderr).toMatch(
      /^rmap: --open: \S+\/none cannot show out\/tracks.svg \(.*ENOENT\); open it yourself, or set BROWSER\n$/,
    );
  });

  test("needs a folder", async () => {
    expect(await refuses(["solve", tiny, "--open"])).toBe(
      "rmap: --open shows tracks.svg, and no folder is given for it; give -o FOLDER\n",
    );
  });
});

test("the manual page has every command and option, and no line that troff would take for a request", async () => {
  const page = await succeeds(["help", "--man"]);
  const lines = page.split("\n");
  const requests = lines.filter((line) => /^[.']/.test(line)).map((line) => line.split(" ")[0]);
  expect(new Set(requests)).toEqual(
    new Set([".TH", ".SH", ".SS", ".B", ".I", ".RI", ".br", ".TP", ".PP", ".nf", ".RS", ".RE", ".fi"]),
  );
  const plain = page.replaceAll("\\-", "-").replaceAll("\\e", "\\");
  for (const { words, declared } of await allCommands()) {
    expect(plain).toContain(`\n.TP\n.B rmap ${words.join(" ")}\n`);
    const methods = Object.values(declared.methods?.of ?? {});
    for (const option of [declared, ...methods].flatMap(({ options }) => Object.values(options))) {
      if (!option.hidden) expect(plain, option.flags).toContain(`\n.TP\n.B ${option.flags}\n`);
    }
  }
});
