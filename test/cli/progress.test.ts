import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Progress } from "../../src/cli/progress.js";

const { isTTY } = process.stderr;
let written: string[] = [];

beforeEach(() => {
  written = [];
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  process.stderr.isTTY = isTTY;
});

/** Forty steps of a second each. */
function run(progress: Progress): void {
  for (let done = 1; done <= 40; done++) {
    vi.advanceTimersByTime(1000);
    progress.show("runs", done, 40, () => ", 1 failed");
  }
  progress.end();
}

test("on a terminal a bar is written over, tells the time left, and is taken away", () => {
  process.stderr.isTTY = true;
  run(new Progress(true));
  expect(written).toHaveLength(41);
  expect(written[0]).toBe("\r\x1b[K" + "runs █░░░░░░░░░░░░░░░░░░░ 1 of 40, 1 failed");
  expect(written[19]).toContain("██████████░░░░░░░░░░ 20 of 40, 20 s left, 1 failed");
  expect(written.at(-1)).toBe("\r\x1b[K");
});

test("on a terminal no more is written than a person can read", () => {
  process.stderr.isTTY = true;
  const progress = new Progress(true);
  for (let n = 0; n < 1000; n++) {
    vi.advanceTimersByTime(1);
    progress.show("iteration", n);
  }
  expect(written.length).toBeLessThanOrEqual(10);
});

test("in a log there is a line every half a minute, and none of a short run", () => {
  process.stderr.isTTY = false;
  run(new Progress(true));
  expect(written).toEqual(["rmap: runs 30 of 40, 10 s left, 1 failed\n"]);
});

test("with -q nothing is written", () => {
  for (const terminal of [true, false]) {
    process.stderr.isTTY = terminal;
    run(new Progress(false));
  }
  expect(written).toEqual([]);
});
