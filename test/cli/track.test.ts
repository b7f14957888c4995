import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { uniform } from "../lap/support.js";
import { belt, csv } from "../track/scene.js";
import { program, refuses, rmap, succeeds } from "./rmap.js";

const folder = mkdtempSync(join(tmpdir(), "rmap-track-"));
const file = (name: string, text?: string) => {
  const path = join(folder, name);
  if (text !== undefined) writeFileSync(path, text);
  return path;
};
const rows = belt({ frames: 60, objects: 300 });
const whole = file("belt.csv", csv(rows));
const summaryOf = async (...args: string[]) => JSON.parse(await succeeds(["track", ...args, "--json"]));

describe("rmap track", () => {
  test("tracks every object, on a file and on a stream alike, and its rows are what evaluate reads", async () => {
    const summary = await summaryOf(whole, "-o", file("tracks.csv"));
    expect(summary).toMatchObject({
      associate: "jv",
      ran: "cpu f64",
      counts: { rows: rows.length, frames: 60, lateRows: 0, repeatedRows: 0 },
      errors: { objects: new Set(rows.map((row) => row[3])).size, objectsInError: 0, mixedTracks: 0, brokenLinks: 0 },
    });
    expect(summary.displacement[0]).toBeCloseTo(1.3, 1);
    const { code, stdout, stderr } = await rmap(["track", "-"], { stdin: csv(rows) });
    expect(code).toBe(0);
    expect(stdout).toBe(readFileSync(file("tracks.csv"), "utf8"));
    expect(stderr).toContain("errors        0 of");
    expect(await succeeds(["evaluate", whole, file("tracks.csv")])).toMatch(/MMEP +0 %/);
  });

  test.each(["auction", "greedy"])("--associate %s has the same tracks here", async (name) => {
    const { associate, errors, rounds } = await summaryOf(whole, "--associate", name, "-o", file(`${name}.csv`));
    expect(associate).toBe(name);
    expect(errors).toMatchObject({ objectsInError: 0, mixedTracks: 0 });
    expect(readFileSync(file(`${name}.csv`), "utf8")).toBe(readFileSync(file("tracks.csv"), "utf8"));
    if (name === "auction") expect(rounds.mean).toBeLessThan(2.5);
  });

  test.each(["gpu-auction", "block-hungarian"])(
    "--associate %s on the software adapter has the tracks of jv",
    async (name) => {
      const few = file("few.csv", csv(belt({ frames: 8, objects: 30 })));
      const expected = await summaryOf(few, "-o", file("few-jv.csv"));
      const { ran, errors } = await summaryOf(
        few,
        "--associate",
        name,
        "--device",
        "software",
        "-o",
        file("few-gpu.csv"),
      );
      expect(ran).toMatch(/swiftshader/i);
      expect(errors).toEqual(expected.errors);
      expect(readFileSync(file("few-gpu.csv"), "utf8")).toBe(readFileSync(file("few-jv.csv"), "utf8"));
    },
  );

  test("a displacement of 0 loses everything: that is what the votes are worth", async () => {
    const { errors } = await summaryOf(whole, "--displacement", "0,0", "-o", file("still.csv"));
    expect(errors.objectsInError).toBeGreaterThan(errors.objects / 3);
  });

  test("two halves with a state between them are one run", async () => {
    const early = rows.filter((row) => row[0] < 31);
    const late = rows.filter((row) => row[0] >= 31);
    const state = file("state.json");
    const output = file("halves.csv");
    const noise = ["--filter-noise", "0.01,0.01"];
    await succeeds(["track", whole, "-o", file("one.csv"), ...noise]);
    await succeeds(["track", file("early.csv", csv(early)), "--state", state, "-o", output, ...noise]);
    expect((await summaryOf(file("late.csv", csv(late)), "--state", state, "-o", output, ...noise)).resumed).toBe(true);
    expect(readFileSync(output, "utf8")).toBe(readFileSync(file("one.csv"), "utf8"));
  });

  test("late, empty, repeated and disordered frames are handled and counted", async () => {
    const odd = rows.filter((row) => row[0] !== 20);
    const at = odd.findIndex((row) => row[0] === 31);
    odd.splice(at + 5, 0, [29, 3.3, 3.3, 900], odd[at]);
    const swapped = [
      ...odd.filter((row) => row[0] < 40),
      ...odd.filter((row) => row[0] === 41),
      ...odd.filter((row) => row[0] === 40),
      ...odd.filter((row) => row[0] > 41),
    ];
    const patient = await summaryOf(file("odd.csv", csv(swapped)), "--reorder", "3", "-o", file("odd-tracks.csv"));
    expect(patient.counts).toMatchObject({
      emptyFrames: 1,
      lateRows: 0,
      repeatedRows: 1,
      reorderedFrames: 1,
      rows: odd.length,
    });
    expect(patient.errors.objectsInError).toBe(0);
    const strict = await summaryOf(file("odd.csv"), "-o", file("odd-strict.csv"));
    // Frame 40 came after the first rows of 41 and before 41 was closed.
    expect(strict.counts).toMatchObject({ lateRows: 1, reorderedFrames: 1 });
    for (const name of ["odd-tracks.csv", "odd-strict.csv"]) {
      expect(readFileSync(file(name), "utf8").trim().split("\n")).toHaveLength(odd.length + 1);
      expect(readFileSync(file(name), "utf8")).toMatch(/,,/);
    }
  });

  test("what moves slowly and every way is tracked, though its common displacement is next to none", async () => {
    const random = uniform(7);
    const walkers = Array.from({ length: 36 }, (_, n) => [
      n,
      10 * (n % 6) + 6 * random(),
      10 * Math.floor(n / 6) + 6 * random(),
      random(),
      random(),
    ]);
    const walk = Array.from({ length: 12 }, (_, frame) =>
      walkers.map(([n, x, y, u, v]) => [frame, x + frame * (u - 0.45), y + frame * (v - 0.5), n]),
    ).flat();
    const { displacement, errors, tracks } = await summaryOf(
      file("slow.csv", csv(walk)),
      "-o",
      file("slow-tracks.csv"),
    );
    expect(Math.hypot(...displacement)).toBeLessThan(0.2);
    expect(tracks).toBe(36);
    expect(errors).toMatchObject({ objectsInError: 0, mixedTracks: 0 });
  });

  test("rows that no longer fit into a track are written without one, and a note says what to do", async () => {
    const shuffled = file("shuffled.csv", csv([...rows].sort((a, b) => Math.sin(a[1] * 1e4) - Math.sin(b[1] * 1e4))));
    const { counts, notes } = await summaryOf(shuffled, "-o", file("shuffled-tracks.csv"));
    expect(counts.lateRows).toBeGreaterThan(rows.length / 2);
    expect(notes.join()).toContain(`${counts.lateRows} rows came after a later frame had closed their own`);
    const written = readFileSync(file("shuffled-tracks.csv"), "utf8").trim().split("\n").slice(1);
    const names = written.map((row) => row.split(",", 2).join());
    expect(new Set(names).size).toBe(rows.length);
  });

  test("the line: when and where, with the error against the truth", async () => {
    const { crossings, line } = await summaryOf(
      whole,
      "--view",
      "0,15",
      "--line",
      "x=18",
      "--decisions",
      file("d.csv"),
      "-o",
      file("l.csv"),
    );
    expect(crossings).toBeGreaterThan(50);
    expect(line.compared).toBeGreaterThan(50);
    expect(line.time.p99).toBeLessThan(0.02);
    expect(line.time.median).toBeLessThan(line.plainTime.median / 2);
    expect(line.position.p99).toBeLessThan(0.05);
    expect(readFileSync(file("d.csv"), "utf8").trim().split("\n")).toHaveLength(crossings + 1);
  });

  test("--realtime times every frame beside an empty loop", async () => {
    const { times } = await summaryOf(whole, "--realtime", "200", "-o", file("r.csv"));
    expect(times).toMatchObject({ frames: 60, budget: 5 });
    for (const clock of [times.cpu, times.wall, times.emptyLoop.wall]) {
      expect(clock.p50).toBeLessThanOrEqual(clock.p99);
      expect(clock.p99).toBeLessThanOrEqual(clock.worst);
    }
    expect(times.wall.mean).toBeGreaterThan(0);
  });
});

describe("bad input", () => {
  test.each([
    ["a stream that ends within a row", csv(rows).slice(0, -9), "ends within this row"],
    [
      "a row that is no number",
      csv([...rows, [60, Number.POSITIVE_INFINITY, 1, 1]]),
      `:${rows.length + 3}, column x: "Infinity" is not a finite number`,
    ],
    ["bytes that are not text", `${csv(rows)}\u0000`, "zero byte"],
  ])("%s is told, and no closed frame is lost", async (_, text, message) => {
    const { code, stderr } = await rmap(["track", "-", "-o", file("bad.csv"), "--state", file("bad-state.json")], {
      stdin: text,
    });
    expect(code).toBe(2);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(message);
    const written = readFileSync(file("bad.csv"), "utf8");
    const all = readFileSync(file("tracks.csv"), "utf8");
    expect(all.startsWith(written)).toBe(true);
    expect(written.trim().split("\n").length).toBeGreaterThanOrEqual(rows.filter((row) => row[0] < 59).length + 1);
    execFileSync("rm", ["-f", file("bad-state.json")]);
  });

  test("a killed run has written every frame it closed", async () => {
    const child = spawn(process.execPath, [program, "track", "-", "-o", file("killed.csv")]);
    child.stdin.write(csv(rows));
    await expect.poll(() => readFileSync(file("killed.csv"), "utf8"), { timeout: 20_000 }).toContain("\n58,");
    child.kill("SIGKILL");
    expect(readFileSync(file("tracks.csv"), "utf8").startsWith(readFileSync(file("killed.csv"), "utf8"))).toBe(true);
  });

  test.each([
    ["whole rows", ""],
    ["an unfinished row", "59,7,3"],
  ])("a killed run goes on from its state and %s of what it wrote since", async (_, unfinished) => {
    const [state, output] = [file("killed-state.json"), file("goes-on.csv")];
    for (const path of [state, output]) execFileSync("rm", ["-f", path]);
    const options = ["-o", output, "--state", state, "--filter-noise", "0.01,0.01"];
    const child = spawn(process.execPath, [program, "track", "-", ...options]);
    const text = csv(rows.filter((row) => row[0] < 31));
    const half = text.indexOf("\n8,") + 1;
    child.stdin.write(text.slice(0, half));
    // The state is left when the first frames are tracked, and not again before the run is killed.
    await expect.poll(() => existsSync(state), { timeout: 20_000 }).toBe(true);
    child.stdin.write(text.slice(half));
    await expect.poll(() => readFileSync(output, "utf8"), { timeout: 20_000 }).toContain("\n29,");
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.kill("SIGKILL");
    await ended;
    expect(JSON.parse(readFileSync(state, "utf8")).closed).toBeLessThan(8);
    const all = readFileSync(file("one.csv"), "utf8");
    expect(all.startsWith(readFileSync(output, "utf8"))).toBe(true);
    appendFileSync(output, unfinished);
    const { resumed, notes } = await summaryOf(whole, ...options);
    expect(resumed).toBe(true);
    expect(notes.join()).toMatch(/2\d frames that an earlier run wrote/);
    expect(readFileSync(output, "utf8")).toBe(all);
  });

  test("an interrupted run leaves its state, and the next one goes on from there", async () => {
    const state = file("interrupted.json");
    const child = spawn(process.execPath, [
      program,
      "track",
      "-",
      "-o",
      file("i.csv"),
      "--state",
      state,
      "--filter-noise",
      "0.01,0.01",
    ]);
    child.stdin.write(csv(rows.filter((row) => row[0] < 31)));
    await expect.poll(() => readFileSync(file("i.csv"), "utf8"), { timeout: 20_000 }).toContain("\n29,");
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    await succeeds([
      "track",
      file("rest.csv", csv(rows.filter((row) => row[0] >= 30))),
      "-o",
      file("i.csv"),
      "--state",
      state,
      "--filter-noise",
      "0.01,0.01",
    ]);
    expect(readFileSync(file("i.csv"), "utf8")).toBe(readFileSync(file("one.csv"), "utf8"));
  });

  test("options and files that cannot be are refused in a line", async () => {
    expect(await refuses(["track", whole, "--decisions", "x.csv"])).toContain("give --line too");
    expect(await refuses(["track", whole, "--view", "3,1"])).toContain("--view");
    expect(await refuses(["track", file("nowhere.csv")])).toContain("no such file");
    expect(await refuses(["track", file("lone.csv", "frame,x,y\n0,1,1\n1,2,1\n"), "-o", file("x.csv")])).toContain(
      "give --d-max",
    );
    expect(await refuses(["track", whole, "--state", file("no-state.json", "{}"), "-o", file("x.csv")])).toContain(
      "no-state.json",
    );
  });
});
