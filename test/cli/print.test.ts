import { expect, test, vi } from "vitest";
import { notesOnce } from "../../src/cli/print.js";

test("notes of images are said once a kind, and a second kind is not taken for more of the first", () => {
  const written: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
  const note = notesOnce();
  for (const sentence of ["a1.png: pixel x 0, y 3 is clear.", "a2.png: every pixel is 0.", "a2.png: every pixel is 0."])
    note(sentence);
  for (const n of [3, 4]) note(`a${n}.png: pixel x 2, y ${n} is clear.`);
  vi.restoreAllMocks();
  expect(written).toEqual([
    "rmap: note: a1.png: pixel x 0, y 3 is clear.\n",
    "rmap: note: a2.png: every pixel is 0.\n",
    "rmap: note: so it is with other images.\n",
  ]);
});
