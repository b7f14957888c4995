import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { succeeds } from "./rmap.js";

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

test("says little of a single detection, and draws nothing wrong", async () => {
  const cwd = folderWith(parent, { "t.csv": "frame,track,x,y\n5,0,1,2\n" });
  expect(await succeeds(["summary", "t.csv", "--picture", "m.svg", "--msd", "m.csv"], { cwd })).toBe(
    "t.csv: 1 track, wrote m.csv, m.svg\n",
  );
  expect(readFileSync(join(cwd, "m.csv"), "utf8")).toBe("lag,time,pairs,msd\n");
  expect(readFileSync(join(cwd, "m.svg"), "utf8")).not.toMatch(/NaN|undefined|d="M"/);
});
