import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { refuses, succeeds } from "./rmap.js";

const parent = temporaryFolder();

/** Frames in steps of 10: one track goes (3, 4) a frame and leaves one out, one stands still as its daughter, one detection is alone, one on no track. */
const tracks = "frame,track,x,y,parent\n0,0,0,0,\n10,0,3,4,\n30,0,9,12,\n40,1,7,7,0\n50,1,7,7,0\n20,2,1,1,\n20,,5,5,\n";

test("has the path, displacement and speed of each track, and the squared displacement of each lag", async () => {
  const cwd = folderWith(parent, { "t.csv": tracks });
  const args = ["summary", "t.csv", "-o", "s.csv", "--msd", "m.csv", "--picture", "m.svg", "--dt", "0.5"];
  expect(await succeeds(args, { cwd })).toBe(
    "t.csv: 3 tracks, wrote s.csv, m.csv, m.svg\n  msd         12.5 after 1 frame, 2 pairs\n",
  );
  expect(readFileSync(join(cwd, "s.csv"), "utf8")).toBe(
    "track,first_frame,last_frame,detections,missed,path,displacement,mean_speed,parent\n" +
      "0,0,30,3,1,15,15,10,\n1,40,50,2,0,0,0,0,0\n2,20,20,1,0,0,0,,\n",
  );
  expect(readFileSync(join(cwd, "m.csv"), "utf8")).toBe("lag,time,pairs,msd\n1,0.5,2,12.5\n2,1,1,100\n3,1.5,1,225\n");
  expect(readFileSync(join(cwd, "m.svg"), "utf8")).not.toMatch(/NaN|undefined/);
});

test.each(["summary", "export"])("%s refuses a track that is in two places at once", async (command) => {
  const cwd = folderWith(parent, { "t.csv": "frame,track,x,y\n5,0,1,2\n6,0,1,2\n5,0,3,4\n" });
  const args = command === "export" ? ["--as", "mot", "-o", "t.txt"] : [];
  expect(await refuses([command, "t.csv", ...args], { cwd })).toBe(
    "rmap: t.csv:4, column track: 0 is in frame 5 already, on line 2; a track has one detection in a frame: correct one\n",
  );
});

test("says little of a single detection, and draws nothing wrong", async () => {
  const cwd = folderWith(parent, { "t.csv": "frame,track,x,y\n5,0,1,2\n" });
  expect(await succeeds(["summary", "t.csv", "--picture", "m.svg", "--msd", "m.csv"], { cwd })).toBe(
    "t.csv: 1 track, wrote m.csv, m.svg\n",
  );
  expect(readFileSync(join(cwd, "m.csv"), "utf8")).toBe("lag,time,pairs,msd\n");
  expect(readFileSync(join(cwd, "m.svg"), "utf8")).not.toMatch(/NaN|undefined|d="M"/);
});

test("writes smoothed positions, and others for missed frames, which are marked; the law is stated", async () => {
  // Two targets that swing about straight ways; frame 30 of the first and frames 20 and 30 of the second are missed.
  const rows = [0, 1].flatMap((track) =>
    [0, 10, 20, 30, 40, 50, 60]
      .filter((frame) => frame !== 30 && !(track === 1 && frame === 20))
      .map((frame, n) => `${frame},${track},${frame / 5 + (n % 2)},${track * 50 - frame / 10},`),
  );
  const cwd = folderWith(parent, { "t.csv": `frame,track,x,y,parent\n${rows.join("\n")}\n30,,5,5,\n` });
  const said = await succeeds(["summary", "t.csv", "--smooth", "s.csv", "--fill", "f.csv"], { cwd });
  expect(said).toMatch(
    /^t\.csv: 2 tracks, wrote s\.csv, f\.csv\n.*\n {2}law {9}velocities vary by \S+ on an axis about the drift \(\S+, -1\.00\) a frame, and are forgotten in \S+ frames; positions are measured to 0\.\d+\n$/,
  );
  const table = (name: string) =>
    readFileSync(join(cwd, name), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(","));
  const [header, ...filled] = table("f.csv");
  expect(header).toEqual(["frame", "track", "x", "y", "sd", "filled", "parent"]);
  // What was measured stays as it is and has no deviation of its own.
  expect(filled.filter(([, , , , , is]) => is === "0").map((row) => `${row.slice(0, 4).join(",")},`)).toEqual(rows);
  expect(filled.filter(([, , , , sd]) => sd === "").every(([, , , , , is]) => is === "0")).toBe(true);
  const made = filled.filter(([, , , , , is]) => is === "1");
  expect(made.map(([frame, track]) => [frame, track])).toEqual([
    ["30", "0"],
    ["20", "1"],
    ["30", "1"],
  ]);
  for (const [frame, track, , y, sd] of made) {
    expect(Math.abs(Number(y) - (Number(track) * 50 - Number(frame) / 10))).toBeLessThan(0.5);
    expect(Number(sd)).toBeGreaterThan(0);
  }
  const smooth = table("s.csv").slice(1);
  expect(smooth.map(([frame, track]) => `${frame},${track}`)).toEqual(rows.map((row) => row.split(",", 2).join(",")));
  // Half of the swing of 1 is taken away and more.
  const swing = smooth.slice(0, 6).map(([frame, , x]) => Number(x) - Number(frame) / 5);
  expect(Math.max(...swing) - Math.min(...swing)).toBeLessThan(0.6);
  await succeeds(["export", "f.csv", "--as", "csv", "-o", "again.csv"], { cwd });
});

test("refuses to smooth tracks of two detections, and frames that are time stamps", async () => {
  const cwd = folderWith(parent, {
    "two.csv": "frame,track,x,y\n0,0,1,2\n1,0,1,3\n",
    "stamps.csv": "frame,track,x,y\n0,0,1,2\n1700000001,0,1,3\n1700000003,0,1,3\n",
  });
  expect(await refuses(["summary", "two.csv", "--smooth", "s.csv"], { cwd })).toMatch(
    /--smooth, --fill: no track has three detections, .*; give longer tracks/,
  );
  expect(await refuses(["summary", "stamps.csv", "--fill", "s.csv"], { cwd })).toMatch(
    /the tracks go through 1700000004 frames, and 10000000 are the most; number the frames one by one/,
  );
});
