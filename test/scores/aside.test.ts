import { afterAll, expect, test } from "vitest";
import { dismissTeam, hireAhead } from "../../src/core/team.js";
import { EarlyScores } from "../../src/scores/aside.js";
import { compareLabels } from "../../src/scores/comparison.js";
import { scoreTracks } from "../../src/scores/metrics.js";

/** Worker threads run the built files: `npm run build` comes before this test. */
const frameStart = Uint32Array.from({ length: 41 }, (_, p) => 25 * p);
const target = Int32Array.from({ length: 1000 }, (_, d) => d % 25);
const track = target.map((one, d) => (d > 500 && one < 4 ? (one + 1) % 4 : d % 97 === 0 ? 30 + d : one));
const scoresOf = (truth: Int32Array, answer: Int32Array) => scoreTracks(compareLabels(frameStart, truth, answer));

afterAll(dismissTeam);

test("scores are those of the labels, whether a thread made them before or not, and also where the labels become others", () => {
  const scores = scoresOf(target, track);
  expect(scores?.idSwitches).toBeGreaterThan(0);
  const early = new EarlyScores(frameStart, target);
  expect(early.of(track)).toEqual(scores);
  hireAhead(9);
  early.begin(track);
  expect(early.of(target)).toEqual(scoresOf(target, target));
  expect(early.of(track)).toEqual(scores);
  early.begin(track.fill(-1, 0, 100));
  expect(early.of(track)).toEqual(scoresOf(target, track));
});

test("they are made by the thread, of what the labels were when it was told", () => {
  hireAhead(9);
  const [truth, answer] = [target.slice(), track.slice()];
  const scores = scoresOf(truth, answer);
  const early = new EarlyScores(frameStart, truth);
  early.begin(answer);
  truth.fill(-1);
  expect(early.of(answer)).toEqual(scores);
  const none = new EarlyScores(frameStart, truth);
  none.begin(answer);
  expect(none.of(answer)).toBe(null);
});
