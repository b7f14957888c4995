import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readDetections } from "../../src/formats/detections.js";
import { rmap } from "./rmap.js";

let folder = "";
const at = (name: string) => join(folder, name);
const flow = (...args: string[]) => rmap(["flow", ...args, "--device", "cpu"]);
const fast = ["--preset", "paper", "--iterations", "10"];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "flow-"));
  expect((await rmap(["flow", "--make", "shift", "--seed", "1", "-o", at("shift")])).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("rmap flow", () => {
  it("computes, writes, draws and scores a pair; --score says the same", async () => {
    const args = [at("shift/0.png"), at("shift/1.png"), ...fast, "--iterations", "50", "--border", "8"];
    const run = await flow(
      ...args,
      "--truth",
      at("shift/truth.flo"),
      "-o",
      at("a.flo"),
      "--picture",
      at("a.png"),
      "--json",
    );
    expect(run.stderr).toBe("");
    const row = JSON.parse(run.stdout);
    expect(Math.abs(row.scores.epe - 0.012)).toBeLessThan(0.003);
    expect(row).toMatchObject({
      device: { requested: "cpu", actual: "cpu" },
      precision: "f32",
      levels: [
        [320, 240],
        [160, 120],
        [80, 60],
      ],
    });
    const score = await rmap(["flow", "--score", at("a.flo"), at("shift/truth.flo"), "--border", "8", "--json"]);
    expect(JSON.parse(score.stdout).scores).toEqual(row.scores);
    expect(readFileSync(at("a.png")).toString("latin1", 1, 4)).toBe("PNG");
  });

  it("writes a file per pair of a sequence, and gives detections the velocity", async () => {
    expect((await flow(at("shift"), ...fast, "-o", at("flows"))).code).toBe(0);
    expect(readFileSync(at("flows/000000.flo")).length).toBe(12 + 8 * 320 * 240);
    const rows = ["# dt=0.5 units=px", "id,frame,x,y", '"a,1",0,100.5,120', "b,1,40,33", "c,0,160,90", ""];
    writeFileSync(at("d.csv"), rows.join("\n"));
    expect(
      (await flow(at("shift"), ...fast, "--iterations", "50", "--detections", at("d.csv"), "-o", at("v.csv"))).stderr,
    ).toBe("");
    const [comment, header, ...lines] = readFileSync(at("v.csv"), "utf8").trimEnd().split("\n");
    expect([comment, header]).toEqual(["# dt=0.5 units=px", "id,frame,x,y,vx,vy"]);
    expect(lines.map((line) => line.replace(/(,[^,]*){2}$/, ""))).toEqual([
      '"a,1",0,100.5,120',
      "b,1,40,33",
      "c,0,160,90",
    ]);
    for (const line of lines) {
      const [vx, vy] = line.split(",").slice(-2).map(Number);
      expect(Math.hypot(vx - 6.6, vy + 3.4)).toBeLessThan(0.3);
    }
  });

  it("leaves the velocity of a detection empty that has none, says so, and fills it when asked", async () => {
    writeFileSync(at("d.csv"), "# dt=1\nframe,x,y\n0,100,120\n0,-5,3\n1,50,60\n");
    const without = await flow(at("shift"), ...fast, "--detections", at("d.csv"), "-o", at("v.csv"));
    expect(without.stdout).toMatch(/1 of 3 detections lie outside .*: their vx and vy are empty/);
    const number = "-?[\\d.]+";
    const rows = `0,100,120,${number},${number}\n0,-5,3,,\n1,50,60,${number},${number}\n`;
    expect(readFileSync(at("v.csv"), "utf8")).toMatch(new RegExp(`^# dt=1\nframe,x,y,vx,vy\n${rows}$`));
    expect([...(readDetections(at("v.csv")).detections.vx ?? [])].map(Number.isNaN)).toEqual([false, true, false]);
    const filled = await flow(at("shift"), ...fast, "--detections", at("d.csv"), "-o", at("v.csv"), "--fill", "drift");
    expect(filled.stdout).toMatch(/they have the median flow/);
    expect(readFileSync(at("v.csv"), "utf8")).toMatch(/0,-5,3,-?[\d.]+,-?[\d.]+\n/);
  });

  it.each<[string, () => string[], RegExp]>([
    ["no images", () => [], /no images given/],
    ["a sequence without a folder", () => [at("shift")], /no folder to write to/],
    ["one frame", () => [at("shift/0.png"), "-o", at("x")], /0\.png: is the only frame; give two or more/],
    ["a missing file", () => [at("none.png"), at("shift/1.png")], /none\.png: there is no such file/],
    ["a scheme on the CPU", () => [at("shift/0.png"), at("shift/1.png"), "--scheme", "tiled"], /are of a GPU/],
    ["a depth on the CPU", () => [at("shift/0.png"), at("shift/1.png"), "--depth", "3"], /are of a GPU/],
    ["a scheme of the paper", () => [at("shift/0.png"), at("shift/1.png"), "--scheme", "fused"], /lab\/flow\/speed/],
    [
      "a truth of another size",
      () => [at("shift/0.png"), at("shift/1.png"), "--truth", at("small.flo")],
      /against a truth of 1 × 1/,
    ],
    [
      "detections beyond the images, before any flow is computed",
      () => [at("broken"), ...fast, "--detections", at("late.csv"), "-o", at("x.csv")],
      /late\.csv: reaches to frame 2, and there are 2 images/,
    ],
    [
      "detections with other separators, to which no columns can be added",
      () => [at("shift"), ...fast, "--detections", at("messy.csv"), "-o", at("x.csv")],
      /messy\.csv: is no table of commas below one header, to which columns could be added; save it as one/,
    ],
    [
      "detections of every tenth image, where their numbers say so too",
      () => [at("shift"), ...fast, "--detections", at("tenth.csv"), "-o", at("x.csv")],
      /has frames of every 10th image only/,
    ],
    [
      "detections beyond the images",
      () => [at("shift"), ...fast, "--detections", at("late.csv"), "-o", at("x.csv")],
      /late\.csv: reaches to frame 2, and there are 2 images, of which frame 0 is the first and 1 the last/,
    ],
  ])("refuses %s with one line and code 2", async (_, args, message) => {
    const one = Buffer.alloc(20);
    one.writeFloatLE(202021.25, 0);
    one.writeInt32LE(1, 4);
    one.writeInt32LE(1, 8);
    writeFileSync(at("small.flo"), one);
    writeFileSync(at("late.csv"), "frame,x,y\n0,1,1\n2,2,2\n");
    writeFileSync(at("messy.csv"), "frame;x;y\n0;1;1\n1;2;2\n");
    writeFileSync(at("tenth.csv"), "frame,x,y\n10,1,1\n20,2,2\n30,2,2\n");
    mkdirSync(at("broken"), { recursive: true });
    for (const name of ["0.png", "1.png"]) writeFileSync(join(at("broken"), name), "no image");
    const run = await flow(...args());
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toMatch(message);
    expect(run.stderr.trimEnd().split("\n").length).toBe(1);
  });
});
