import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { onlyObject, refuses, succeeds } from "./rmap.js";

const TARGETS = 5;
const FRAMES = 12;

/** Numbers of the frames that have detections; `comment` is the first line. */
const NUMBERINGS: readonly { readonly name: string; readonly comment: string; readonly numbers: readonly number[] }[] =
  [
    { name: "from 0", comment: "# dt=1", numbers: counted(0, 1) },
    { name: "from 1", comment: "# dt=1", numbers: counted(1, 1) },
    { name: "from 5", comment: "# dt=1", numbers: counted(5, 1) },
    { name: "with missing frames", comment: "# dt=1", numbers: counted(3, 1).filter((k) => k !== 7 && k !== 8) },
    { name: "with empty frames at both ends", comment: "# dt=1 frames=40", numbers: counted(4, 1) },
    { name: "every 10 from 0", comment: "# dt=1", numbers: counted(0, 10) },
    { name: "every 10 from 785", comment: "# dt=1", numbers: counted(785, 10) },
    { name: "every 10, stated, with a frame missing", comment: "# dt=1 step=10", numbers: [9, 19, 39, 49, 59, 69, 79] },
    { name: "time stamps in milliseconds", comment: "# dt=0.04", numbers: counted(1_763_900_000_000, 40) },
  ];

function counted(first: number, step: number): number[] {
  return Array.from({ length: FRAMES }, (_, p) => first + step * p);
}

/** A gap between frames may break tracks of so few. */
const RIGHT = { mmep: 0, falseLinks: 0 };

const folder = mkdtempSync(join(tmpdir(), "rmap-numbers-"));

/** Far from each other, so that nothing but the numbers of frames can go wrong; no two detections are in one place. */
function detectionsOf(comment: string, numbers: readonly number[]): { csv: string; places: string[] } {
  const places: string[] = [];
  const [first, ...rest] = numbers;
  const step = Math.min(...rest.map((number, n) => number - numbers[n]));
  const rows = numbers.flatMap((number) =>
    Array.from({ length: TARGETS }, (_, target) => {
      const at = (number - first) / step;
      const wobble = 0.01 * (((7 * at + 3 * target) % 5) - 2);
      const [x, y] = [100 * target + 2 * at + wobble, 50 * target - at];
      places.push(`${number},${x},${y}`);
      return `${number},${x},${y},${target}`;
    }),
  );
  return { csv: [comment, "frame,x,y,target", ...rows, ""].join("\n"), places };
}

const table = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(","));

/** frame,x,y of each row of a CSV whose columns are so named. */
function placesIn(file: string, [frame, x, y]: readonly [string, string, string], linked = "track"): string[] {
  const [header, ...rows] = table(file);
  const [f, px, py, track] = [frame, x, y, linked].map((name) => header.indexOf(name));
  expect([f, px, py, track].every((column) => column >= 0)).toBe(true);
  return rows.filter((row) => row[track] !== "" && row[track] !== "-1").map((row) => [row[f], row[px], row[py]].join());
}

function geffPlaces(geff: string): string[] {
  const bytes = (name: string) => new Uint8Array(readFileSync(join(geff, `nodes/props/${name}/values/0`))).buffer;
  const t = new BigInt64Array(bytes("t"));
  const [x, y] = [new Float64Array(bytes("x")), new Float64Array(bytes("y"))];
  const [axis] = JSON.parse(readFileSync(join(geff, ".zattrs"), "utf8")).geff.axes;
  const ends = [Number(t[0]), Number(t.at(-1))];
  expect([axis.min, axis.max]).toEqual(ends);
  return Array.from(t, (frame, d) => `${frame},${x[d]},${y[d]}`);
}

describe.each(NUMBERINGS)("frames $name", ({ name, comment, numbers }) => {
  const { csv, places } = detectionsOf(comment, numbers);
  const at = (file: string) => join(folder, name.replaceAll(" ", "-"), file);
  const input = join(folder, `${name.replaceAll(" ", "-")}.csv`);
  const tracks = at("tracks.csv");

  beforeAll(async () => {
    writeFileSync(input, csv);
    await succeeds(["solve", input, "-o", at(""), "--threads", "1", "--device", "cpu"]);
  });

  test("are in tracks.csv, and the tracks are found in the recording again", async () => {
    expect(placesIn(tracks, ["frame", "x", "y"]).sort()).toEqual([...places].sort());
    const scored = onlyObject(await succeeds(["evaluate", input, tracks, "--json"]));
    expect(scored).toMatchObject(RIGHT);
  });

  test("go up in the step that tracks.csv states, of windows too where it is known from the start", async () => {
    const step = Math.min(...numbers.slice(1).map((number, n) => number - numbers[n]));
    const first = (file: string) => readFileSync(at(file), "utf8").split("\n", 1)[0];
    const stated = step === 1 ? /^frame,/ : new RegExp(`^# step=${step}$`);
    expect(first("tracks.csv")).toMatch(stated);
    await succeeds(["solve", input, "--window", "4", "-o", at("stated"), "--threads", "1"]);
    expect(first("stated/tracks.csv")).toMatch(comment.includes("step=") ? stated : /^frame,/);
  });

  test("are in the tracks of another tracker, which are found in the recording", async () => {
    const other = at("other.csv");
    const [, ...rows] = table(tracks);
    writeFileSync(
      other,
      ["frame,track,x,y", ...rows.map(([frame, , ...rest]) => [frame, ...rest.slice(0, 3)])].join("\n"),
    );
    const scored = onlyObject(await succeeds(["evaluate", input, other, "--reach", "0.5", "--json"]));
    expect(scored).toMatchObject(RIGHT);
  });

  test("are in every form that tracks are exported in; MOTChallenge has no frame 0", async () => {
    const out = (form: string) => at(`out.${form}`);
    for (const form of ["napari", "geff", "mot"]) await succeeds(["export", tracks, "--as", form, "-o", out(form)]);
    expect(placesIn(out("napari"), ["t", "x", "y"], "track_id").sort()).toEqual([...places].sort());
    expect(geffPlaces(out("geff")).sort()).toEqual([...places].sort());
    const shift = numbers[0] === 0 ? 1 : 0;
    const mot = table(out("mot")).map((row) => `${Number(row[0]) - shift},${row[7]},${row[8]}`);
    expect(mot.sort()).toEqual([...places].sort());
  });

  test("stay as they are when tracks are solved again, from CSV and from MOTChallenge text", async () => {
    await succeeds(["solve", tracks, "-o", at("again"), "--threads", "1", "--device", "cpu"]);
    expect(placesIn(at("again/tracks.csv"), ["frame", "x", "y"]).sort()).toEqual([...places].sort());
    const text = at("tracks.txt");
    await succeeds(["export", tracks, "--as", "mot", "-o", text]);
    await succeeds(["solve", text, "-o", at("mot"), "--threads", "1", "--device", "cpu"]);
    const back = placesIn(at("mot/tracks.csv"), ["frame", "x", "y"]);
    const shift = numbers[0] === 0 ? 1 : 0;
    const unshifted = back.map((place) => place.replace(/^\d+/, (frame) => String(Number(frame) - shift)));
    expect(unshifted.sort()).toEqual([...places].sort());
  });

  test("are in the tracks of windows and their log, and of a stream", async () => {
    await succeeds(["solve", input, "--window", "4", "-o", at("windows"), "--threads", "1"]);
    const written = placesIn(at("windows/tracks.csv"), ["frame", "x", "y"]);
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((one) => !places.includes(one))).toEqual([]);
    const windows = readFileSync(at("windows/windows.jsonl"), "utf8").trim().split("\n");
    for (const line of windows) {
      const [from, to] = JSON.parse(line).frames as [number, number];
      const stated = comment.includes("frames=");
      expect(stated || (from >= numbers[0] && to <= (numbers.at(-1) as number))).toBe(true);
    }
    writeFileSync(at("stream-in.csv"), csv.slice(csv.indexOf("\n") + 1));
    const said = await succeeds(["track", at("stream-in.csv"), "-o", at("stream.csv"), "--d-max", "20"]);
    expect(said.includes("frames are counted in steps")).toBe(numbers[1] - numbers[0] >= 10);
    expect(placesIn(at("stream.csv"), ["frame", "x", "y"], "x").sort()).toEqual([...places].sort());
  });

  test("are those in which fixed links are given and weak ones are told", async () => {
    const links = at("links.csv");
    writeFileSync(links, `frame,next,i,j,link\n${numbers[0]},${numbers[1]},0,0,required\n`);
    const said = await succeeds(["solve", input, "--links", links, "--unsure", "1000000", "--device", "cpu"]);
    expect(said).toContain("1 required");
    const frames = said.split("\n").flatMap((line) => {
      const cells = /^ *[\d.e+]+ +\d+ +(\d+) +\d+ +\d+$/.exec(line);
      return cells === null ? [] : [Number(cells[1])];
    });
    expect(frames.length).toBeGreaterThan(0);
    expect(frames.every((frame) => numbers.includes(frame))).toBe(true);
  });
});

test("frames that all tracks miss are counted as missed where tracks.csv states the step", async () => {
  const rows = [0, 20, 40].map((frame) => `${frame},0,1,${frame},0`);
  const missed = async (comment: string) => {
    const [tracks, out] = [join(folder, "every-20.csv"), join(folder, "summary.csv")];
    writeFileSync(tracks, `${comment}frame,detection,track,x,y\n${rows.join("\n")}\n`);
    await succeeds(["summary", tracks, "-o", out]);
    const [header, row] = table(out);
    return row[header.indexOf("missed")];
  };
  expect(await missed("# step=10\n")).toBe("2");
  expect(await missed("")).toBe("0");
});

test("tracks of a recording in steps that an older rmap counted one by one are found in it all the same", async () => {
  const { csv } = detectionsOf("# dt=1", counted(785, 10));
  const input = join(folder, "old.csv");
  writeFileSync(input, csv);
  const rows = Array.from({ length: FRAMES }, (_, p) =>
    Array.from({ length: TARGETS }, (_, t) => `${78 + p},${t},${t}`),
  );
  const tracks = join(folder, "old-tracks.csv");
  writeFileSync(tracks, ["frame,detection,track", ...rows.flat(), ""].join("\n"));
  expect(onlyObject(await succeeds(["evaluate", input, tracks, "--json"]))).toMatchObject(RIGHT);
});

test("track, which looks for targets in every frame, refuses frames whose numbers are stated to go in steps", async () => {
  const input = join(folder, "stepped.csv");
  writeFileSync(input, detectionsOf("# dt=1 step=10", counted(0, 10)).csv);
  expect(await refuses(["track", input, "-o", join(folder, "stepped-out.csv")])).toMatch(
    /stepped\.csv: states step=10, and track looks for targets in every frame; number/,
  );
});
