import { expect, test } from "vitest";
import { formatTracks } from "../../src/formats/tracks.js";
import { assignmentOf } from "../../src/run/assignment.js";

const run = {
  frameStart: Uint32Array.of(0, 2, 2, 3),
  track: Int32Array.of(0, -1, 0),
  margins: {
    link: Float64Array.of(1.5, Number.NaN, Number.NaN),
    birth: Float64Array.of(2, Number.NaN, Number.NaN),
    death: null,
  },
  parents: new Map([[0, 7]]),
};
const numbers = { first: 1000, step: 10 };

test("the assignment has the columns of tracks.csv, with −1 and null for its empty cells", () => {
  const assignment = assignmentOf(run, numbers);
  const [, header, ...rows] = [
    ...formatTracks({ frameStart: run.frameStart, x: null, y: null }, run.track, numbers, run.margins, [], run.parents),
  ]
    .join("")
    .trim()
    .split("\n");
  const columns = header.split(",").filter((name) => name !== "x" && name !== "y") as (keyof NonNullable<
    typeof assignment
  >)[];
  expect(columns).toEqual(["frame", "detection", "track", "margin", "start_margin", "parent"]);
  for (const name of columns) {
    const cells = rows.map((row) => row.split(",")[header.split(",").indexOf(name)]);
    const empty = name === "track" ? -1 : null;
    expect(assignment?.[name]).toEqual(cells.map((cell) => (cell === "" ? empty : Number(cell))));
  }
  expect(assignment?.end_margin).toBeNull();
  expect(assignmentOf({ ...run, parents: new Map() }, numbers)).not.toHaveProperty("parent");
});

test("there is none where no tracks were found", () => {
  expect(assignmentOf({ ...run, track: null }, numbers)).toBeNull();
});
