import { describe, expect, test } from "vitest";
import { ATTACKS, type AttackName, attack } from "../../lab/truth/attacks.js";
import { tries } from "../tries.js";

/** First seeds and how many: two seconds in all. The full run of 10⁶ instances is lab/truth/attack.ts; lab/notes/truth.md has what it came to. */
const SEEDS: Record<AttackName, readonly [from: number, count: number]> = {
  scales: [1, tries(300, 800)],
  offsets: [1, tries(300, 800)],
  device: [1, tries(300, 1000)],
  proofs: [1, 30],
  // Seed 1000 is beside a crowd.
  margins: [1001 - tries(31, 101), tries(31, 101)],
  starts: [1, 120],
  exact: [1, tries(30, 60)],
  exclusions: [1, 40],
  regions: [1, 12],
  lap: [1, 3000],
  windows: [1, 12],
  files: [1, 12],
};

/** Ways to end that must be among them: an attack that never gets anywhere proves nothing. */
const REACHED: Record<AttackName, readonly string[]> = {
  scales: ["optimal", "gap", "stalled", "stopped", "refused", "optimal, capped"],
  offsets: ["optimal"],
  device: ["optimal", "stopped"],
  proofs: ["honest, holds", "holds", "refused"],
  margins: ["stated", "stated, by wrong multipliers", "stated, crowded"],
  starts: ["optimal", "stopped"],
  exact: ["optimal", "optimal with faults"],
  exclusions: ["optimal", "optimal with faults", "honest, holds", "refused"],
  regions: ["honest, holds", "forged, holds", "forged, refused"],
  lap: ["complete", "not complete", "legal matching", "illegal matching"],
  windows: ["bound", "bound, from a folder"],
  files: ["instance: 0", "instance: 2", "proof: 0"],
};

describe("nothing is false in exact arithmetic", () => {
  test.each(Object.keys(ATTACKS) as AttackName[])("%s", async (name) => {
    const [from, count] = SEEDS[name];
    const { violations, ended } = await attack(name, from, count, performance.now() / 1000 + 30);
    expect(violations).toEqual([]);
    for (const how of REACHED[name]) expect(ended[how], how).toBeGreaterThan(0);
    expect(ended["unsolved though there are tracks"]).toBeUndefined();
  });
});

// The costs of these have no grain, and those of their cores would have one: the same tracks cost less there, and were better tracks for ever.
test.each([81_000_529, 81_002_517, 81_032_789])(
  "a core has the grain of its instance: exact, seed %i",
  async (seed) => {
    expect((await attack("exact", seed, 1)).violations).toEqual([]);
  },
);

test("a tree over two frames, which have no triplets, enters no part of its own", async () => {
  const { violations } = await attack("exclusions", 930076, 1);
  expect(violations).toEqual([]);
});
