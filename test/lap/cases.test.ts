import { describe, expect, test } from "vitest";
import { bruteForce } from "../../lab/truth/lap.js";
import { lapCases, problemOf } from "./cases.js";

describe("the table of cases", () => {
  test.each(lapCases)("$name", (lap) => {
    const best = bruteForce(problemOf(lap));
    if (lap.expected === "infeasible") expect(best).toBe(Infinity);
    else expect(best).toBe(lap.expected);
  });

  test("tells the costs of rows from those of columns", () => {
    const births = lapCases.filter((lap) => lap.name.startsWith("births and deaths"));
    expect(births).toHaveLength(3);
    for (const { name, ...lap } of births) {
      const exchanged = { ...lap, name, rowUnassigned: lap.columnUnassigned, columnUnassigned: lap.rowUnassigned };
      expect(bruteForce(problemOf(exchanged)), name).not.toBe(lap.expected);
    }
  });
});
