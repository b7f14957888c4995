import { join } from "node:path";
import { expect, test } from "vitest";
import { findPlaces, readStretch, stretchesOf } from "../../../src/run/windows/places.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";

const parent = temporaryFolder();

test("the frames of all stretches are those of the recording, each once, where frames are empty or span stretches", async () => {
  const text = "long ".repeat(100);
  // Frame 5 alone has more bytes than a stretch; frames 7 … 9 are empty, and so is the last.
  const rows = [..."0123456".repeat(700)].sort().concat(Array(3000).fill("5")).sort().concat(Array(2500).fill("10"));
  const lines = rows.map((frame, n) => `${frame},${n},${n / 2},t${n},${n}${text}`);
  const cwd = folderWith(parent, { "d.csv": `# frames=12\nframe,x,y,target,said\n${lines.join("\n")}\n` });
  const task = { recording: join(cwd, "d.csv"), asked: {}, velocities: false };
  const found = await findPlaces(task);
  expect(found).toMatchObject({ frames: 12, complete: true, warnings: [] });
  const frames = [];
  let stretches = 0;
  for await (const stretch of stretchesOf(found, task)) {
    frames.push(...(await readStretch(stretch)));
    stretches++;
  }
  expect(stretches).toBeGreaterThan(3);
  expect(frames.map(({ x }) => x.length)).toEqual([700, 700, 700, 700, 700, 3700, 700, 0, 0, 0, 2500, 0]);
  expect(frames.flatMap(({ x }) => x)).toEqual(rows.map((_, n) => n));
  expect(frames.flatMap(({ carried }) => carried).every((cell, n) => cell === `,${n}${text}`.trimEnd())).toBe(true);
});
