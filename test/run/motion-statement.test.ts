import { describe, expect, test } from "vitest";
import { candidateLinks } from "../../src/costs/motion/candidates.js";
import { firstFit } from "../../src/costs/motion/first-fit.js";
import { fitTracks, type MotionFit } from "../../src/costs/motion/fit.js";
import { GAPS_NOT_SOUGHT, type Gaps } from "../../src/costs/motion/gaps.js";
import { oddsAround } from "../../src/costs/motion/odds.js";
import { priceMotion } from "../../src/costs/motion/price-motion.js";
import { trackCosts } from "../../src/costs/motion/track-costs.js";
import { statement, type Told } from "../../src/run/motion-statement.js";
import { scattered } from "../costs/motion/scattered.js";

const [FRAMES, EACH] = [9, 12];
const detections = scattered(FRAMES, EACH, 3);
const track = Int32Array.from(detections.x, (_, d) => d % EACH);
const gaps: Gaps = { spans: 3, missed: 0.1, asked: null, returns: [4.4, 2.6, -1], seen: true };
const fit = fitTracks(detections, track, firstFit(detections).model, { persistence: true, gaps, divisions: "seen" });

/** Candidates and prices by a fit. */
function pricedBy(fit: MotionFit) {
  const costs = trackCosts(detections, "auto", fit);
  const links = candidateLinks(detections, fit.model, costs, [1, 2, 3]);
  return {
    near: links.span.filter((span) => span === 1).length,
    priced: priceMotion(detections, fit.model, costs, links),
  };
}

describe("a fit is numbers alone", () => {
  test("which can be sent, and the same candidates, prices, odds and words follow from them", () => {
    const sent: MotionFit = structuredClone(fit);
    expect(sent).toEqual(fit);
    const { near, priced } = pricedBy(fit);
    expect(pricedBy(sent)).toEqual({ near, priced });
    const far = { x: detections.x.map((x) => 3 * x - 4), y: detections.y };
    expect(oddsAround(far, EACH, { ...sent.odds, birth: sent.odds.birth.subarray(0, EACH) })).toEqual(
      oddsAround(far, EACH, { ...fit.odds, birth: fit.odds.birth.subarray(0, EACH) }),
    );
    const told: Told = {
      ...{ pass: 4, positionsAlone: true, birthDeath: "auto", gapsOpen: false, nearest: 24, near, priced },
      ...{ over: { considered: 70, pass: 3 }, learned: { detections: 10_000, frames: 50 }, priors: { missed: 0.1 } },
    };
    const words = statement(fit, told);
    expect(statement(sent, told)).toEqual(words);
    expect(words.choices.motion).toMatch(/^positions alone, pass 4: links about the drift \(.*\) a frame, scale /);
    expect(words.choices.ends).toMatch(/; gaps of up to 2 frames are closed, .* % of detections being missed$/);
    expect(words.choices.candidates).toMatch(
      /of 70 links over missed frames, those within 4 nats of paying in pass 3$/,
    );
    expect(words.estimates).toHaveLength(5);
    expect(words.estimates[0]).toBe("Stated: missed 0.1; estimated: noise, clutter, births, speed.");
    expect(words.estimates[3]).toMatch(/come back 4 after 1, 3 after 2, 0 after 3 missed frames/);
  });

  const told: Told = {
    ...{ pass: 1, positionsAlone: false, birthDeath: { birth: 5, death: 4 }, gapsOpen: false, nearest: null, near: 9 },
    ...{ over: null, priced: pricedBy(fit).priced, learned: null, priors: {} },
  };
  const ended = (gaps: Gaps, gapsOpen = false) => statement({ ...fit, gaps }, { ...told, gapsOpen }).choices.ends;

  test.each([
    [GAPS_NOT_SOUGHT, "missed detections were not looked for"],
    [{ ...gaps, spans: 1, asked: 0, returns: [] }, "no gaps are closed, as asked"],
    [{ ...gaps, spans: 2, asked: 1, returns: [4] }, "gaps of up to 1 frame are closed, as asked"],
    [
      { ...gaps, spans: 2, missed: 0.001, returns: [0.4, -1, 0], seen: false },
      "gaps of one frame are closed where that is far likelier, since tracks that end hardly ever come back",
    ],
    [{ ...gaps, spans: 2 }, "gaps of one frame are closed"],
  ])("%j are told as: %s", (gaps, words) => {
    expect(ended(gaps)).toContain(`starts cost 5, ends 4 as stated; ${words}`);
    expect(ended(gaps, true)).toContain("gaps are left open");
  });

  test("gaps of which a model knows nothing are not told as closed", () => {
    const model = { ...fit.model, prior: fit.model.prior.slice(0, 1) };
    const { choices, estimates } = statement({ ...fit, model, gaps: { ...gaps, spans: 2, asked: 1 } }, told);
    expect(choices.ends).toContain("; gaps are left open, as there are too few links to learn from");
    expect(estimates.join()).not.toContain("come back");
  });

  test("that nobody came back is told as an estimate, and is no reason to rule misses out", () => {
    const few = { ...gaps, spans: 2, missed: 0.001, returns: [0.4, -1, 0], seen: false };
    expect(statement({ ...fit, gaps: few }, told).estimates.at(-1)).toBe(
      "Missed detections are assumed to be rare: tracks that end come back 0 after 1, 0 after 2, 0 after 3 missed frames more often than by chance.",
    );
  });

  test("divisions are told where they are priced, and how many", () => {
    const all = [{ mother: 0, daughters: [13, 14] }] as const;
    const law = { rate: 0.01, middle: 0.5, apart: 2, evidence: 20 };
    const told1 = statement({ ...fit, divisions: { all, law, priced: true } }, told);
    expect(told1.choices.ends).toMatch(
      /; a second link out of a detection is a division, as 1 targets seemed to divide$/,
    );
    expect(told1.estimates[2]).toMatch(/^1 targets seemed to divide: 1 % a frame, daughters 2 .* e\^20 times likelier/);
    const seen = statement({ ...fit, divisions: { all, law, priced: false } }, told);
    expect(JSON.stringify(seen)).not.toContain("divide");
  });
});
