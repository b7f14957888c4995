import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Detections } from "../../src/core/detections.js";
import type { VelocityUse } from "../../src/formats/detection-columns.js";
import { formatDetections, parseDetections, readDetections } from "../../src/formats/detections.js";
import { parsePlacedTracks } from "../../src/formats/tracks.js";
import { byteSoup, mutated, parsesOrRefuses, refusal, temporaryFolder } from "./support.js";

const read = (text: string, use?: VelocityUse) => parseDetections("d.csv", Buffer.from(text), use);
const refused = (text: string, use?: VelocityUse) => refusal(() => read(text, use));

/** Distinct positions within a frame, so that no row repeats another. */
const coordinate = fc.double({ min: -9e14, max: 9e14, noNaN: true });
const row = fc.record({
  x: coordinate,
  y: coordinate,
  vx: coordinate,
  vy: coordinate,
  target: fc.integer({ min: -1, max: 40 }),
});
const anyDetections: fc.Arbitrary<Detections> = fc
  .record({
    rows: fc.array(fc.uniqueArray(row, { maxLength: 5, selector: ({ x, y }) => `${x},${y}` }), {
      minLength: 2,
      maxLength: 6,
    }),
    velocity: fc.boolean(),
    truth: fc.boolean(),
    timeStep: fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
  })
  .filter(({ rows }) => rows.flat().length > 0)
  .filter(({ rows }) =>
    rows.every((frame) => {
      const true_ = frame.map(({ target }) => target).filter((target) => target >= 0);
      return new Set(true_).size === true_.length;
    }),
  )
  .map(({ rows, velocity, truth, timeStep }) => {
    const all = rows.flat();
    const starts = rows.map((_, p) => rows.slice(0, p).flat().length);
    return {
      frames: rows.length,
      frameStart: Uint32Array.of(...starts, all.length),
      x: Float64Array.from(all, ({ x }) => x),
      y: Float64Array.from(all, ({ y }) => y),
      vx: velocity ? Float64Array.from(all, ({ vx }) => vx) : null,
      vy: velocity ? Float64Array.from(all, ({ vy }) => vy) : null,
      target: truth ? Int32Array.from(all, ({ target }) => target) : null,
      timeStep,
    };
  });

describe("readDetections", () => {
  it("reads back what formatDetections writes, bit for bit, empty frames at the ends included", () => {
    fc.assert(
      fc.property(anyDetections, (detections) => {
        const { detections: back } = read([...formatDetections(detections, [["source", "a test"]])].join(""));
        expect(back).toEqual(detections);
        expect(back.x.every((x, d) => Object.is(x, detections.x[d]))).toBe(true);
      }),
    );
  });

  it("takes columns by name in any order, CRLF, BOM, quotes, comments, blank lines and rows out of order", () => {
    const text =
      '\ufeff# dt=0.5 units=m,m/s source=some where@1 license=MIT (repo)\r\n\r\nTarget, y ,"x",frame\r\n7,"1.5",2,1\r\n# no row\r\n,3,4,0\r\n-1,5,6,1\r\n\r\n\r\n';
    const { detections, line, metadata, unit, notes } = read(text);
    expect(detections).toEqual({
      frames: 2,
      frameStart: Uint32Array.of(0, 1, 3),
      x: Float64Array.of(4, 2, 6),
      y: Float64Array.of(3, 1.5, 5),
      vx: null,
      vy: null,
      target: Int32Array.of(-1, 7, -1),
      timeStep: 0.5,
    });
    expect([...line]).toEqual([6, 4, 7]);
    expect(metadata.get("source")).toBe("some where@1");
    expect(metadata.get("license")).toBe("MIT (repo)");
    expect(unit).toBe("m");
    expect(notes).toEqual([]);
  });

  it("says what it assumed", () => {
    const text = "frame,x,y,vx,vy,target,confidence\n50,1,2,,,,0.9\n40,1,2,,,,0.8\n";
    const { detections, numbers, notes } = read(text);
    expect(detections.frames).toBe(11);
    expect(detections).toMatchObject({ vx: null, vy: null, target: null, timeStep: 1 });
    expect(numbers).toEqual({ first: 40, step: 1 });
    expect(notes.join(" ")).toMatch(
      /time step 1 assumed.*Frames start at 40.*9 of 11 frames are empty.*divide.*confidence.*vx and vy are empty.*identities unknown/,
    );
  });

  it("lets frames follow each other whose numbers are all multiples of one number, unless something else is stated", () => {
    const rows = "frame,x,y\n780,1,2\n790,1,2\n810,1,2\n";
    const { detections, numbers, notes } = read(rows);
    expect([detections.frames, numbers]).toEqual([4, { first: 780, step: 10 }]);
    expect(notes.join(" ")).toContain("Frame numbers go up in steps of 10: frame 790 follows 780.");
    expect(read(`# step=1\n${rows}`).detections.frames).toBe(31);
    expect(read(`# frames=811\n${rows}`).detections.frames).toBe(811);
    expect(read(`${rows}813,1,2\n`).detections.frames).toBe(34);
  });

  it("lets frames follow each other whose numbers go up in steps from another number, and finds them in other trackers' tracks", () => {
    const file = read("frame,x,y,target\n41,1,2,0\n21,1,2,0\n11,1,2,0\n11,3,4,1\n");
    const { detections, numbers } = file;
    expect([...detections.frameStart]).toEqual([0, 2, 3, 3, 4]);
    expect(numbers).toEqual({ first: 11, step: 10 });
    const tracks = (frame: number) =>
      parsePlacedTracks(
        "t.csv",
        Buffer.from(`frame,track,x,y\n41,7,1,2\n${frame},7,1,2\n`),
        detections.frames,
        numbers,
      );
    expect([...tracks(21).frame]).toEqual([1, 3]);
    expect(() => tracks(20)).toThrow(/t\.csv:3.*20 is no frame of the recording, whose frames are every 10/);
    expect(() => tracks(1)).toThrow(/t\.csv:3.*11/);
    expect(() => tracks(41)).toThrow(/7 is in frame 41 already, on line 2/);
  });

  it("takes −1 in other trackers' tracks for no track, however often it stands in a frame", () => {
    const text = "frame,track,x,y\n0,-1,1,2\n0,-1,3,4\n0,7,5,6\n";
    const { identity } = parsePlacedTracks("t.csv", Buffer.from(text), 1, { first: 0, step: 1 });
    expect([...identity]).toEqual([-1, -1, 7]);
    const twice = Buffer.from(text.replaceAll("-1", "8"));
    expect(() => parsePlacedTracks("t.csv", twice, 1, { first: 0, step: 1 })).toThrow(/8 is in frame 0 already/);
  });

  it("numbers targets that have names, and keeps integers", () => {
    const named = read("frame,x,y,target\n0,1,2,car\n0,2,2,3\n1,1,2,3\n1,5,5,\n");
    expect([...(named.detections.target ?? [])]).toEqual([0, 1, 1, -1]);
    expect(named.targetLabels).toEqual(["car", "3"]);
    const numbered = read("frame,x,y,target\n0,1,2,30.0\n1,2,2,2147483647\n");
    expect([...(numbered.detections.target ?? [])]).toEqual([30, 2147483647]);
    expect(numbered.targetLabels).toBeNull();
  });

  it("keeps partly empty velocities with a note, or refuses them where they are demanded", () => {
    const text = "frame,x,y,vx,vy\n0,1,2,1,1\n1,1,2,,\n";
    const { detections, notes } = read(text);
    expect(detections.vx).toEqual(Float64Array.of(1, Number.NaN));
    expect(notes.join()).toMatch(/estimated in 1 of 2 rows, where vx or vy is missing, the first on line 3/);
    expect(refused(text, "required")).toMatch(/^d\.csv:3, column vx: has no velocity; .*estimated/);
    expect(refused("frame,x,y\n0,1,2\n1,1,2\n", "required")).toMatch(/no columns vx and vy/);
    const whole = "frame,x,y,vx,vy\n0,1,2,1,1\n1,1,2,3,4\n";
    expect(read(whole, "required").detections.vy).toEqual(Float64Array.of(1, 4));
    expect(read(whole, "ignored").detections.vy).toBeNull();
  });

  it("takes two detections in one place for two", () => {
    expect(read("frame,x,y,target\n0,1,2,1\n0,1,2,2\n1,1,2,1\n").detections.x).toHaveLength(3);
    expect(read("frame,x,y\n0,1,2\n1,1,2\n0,1,2\n").detections.x).toEqual(Float64Array.of(1, 1, 1));
  });

  const two = "\n1,1,2\n";
  it.each([
    ["an empty file", "", /^d\.csv: is empty; .*frame,x,y/],
    ["blank lines alone", "\n\n", /has no rows; .*frame,x,y/],
    ["zero detections", "frame,x,y\n", /has no detections; give a row/],
    ["one frame only", "frame,x,y\n3,1,2\n3,4,5\n", /^d\.csv:2, column frame: 3 is the only frame; .*two frames/],
    ["a missing column", "frame,x\n0,1\n", /^d\.csv:1: the header "frame,x" lacks the column y; name the columns/],
    ["a header twice", "frame,x,X,y\n", /^d\.csv:1: the header names "X" twice; rename or remove/],
    ["no header", "0,1,2\n1,1,2\n", /^d\.csv:1: the first row "0,1,2" is data, not a header; name the columns/],
    ["a short row", "frame,x,y\n0,1\n", /^d\.csv:2: has 2 fields where the header has 3 \("0,1"\); give every row/],
    ["a long row", `frame,x,y\n0,1,2,3${two}`, /^d\.csv:2: has 4 fields where the header has 3/],
    ["an open quote", 'frame,x,y\n0,"1,2\n', /^d\.csv:\d: a quoted field is never closed; .*close every/],
    ["text after a quote", 'frame,x,y\n0,"1" a,2\n', /^d\.csv:2: text follows a closing quote; write quotes/],
    ["a quote inside", 'frame,x,y\n0,a"1",2\n', /^d\.csv:2: a quote opens inside a field; write quotes/],
    ["infinity", `frame,x,y\n0,1,-inf${two}`, /^d\.csv:2, column y: "-inf" is not a finite number; give/],
    ["overflow", `frame,x,y\n0,1,1e999${two}`, /^d\.csv:2, column y: "1e999" is too large for a number; give/],
    ["text", `frame,x,y\n0,abc,2${two}`, /^d\.csv:2, column x: "abc" is not a number; give/],
    ["hexadecimal", `frame,x,y\n0,0x10,2${two}`, /column x: "0x10" is not a number/],
    ["an empty frame", `frame,x,y\n,1,2${two}`, /^d\.csv:2, column frame: is empty; number the frames/],
    ["a NaN frame", `frame,x,y\nNaN,1,2${two}`, /^d\.csv:2, column frame: "NaN" is not a finite number; number/],
    ["no position at all", "frame,x,y\n0,NaN,2\n1,NA,3\n", /^d\.csv: has no detections; give a row for each/],
    ["a far position", `frame,x,y\n0,1,1e15${two}`, /^d\.csv:2, column y: 1e15 is 1e15 or more in size; .*below 1e15/],
    ["a cost", `frame,x,y\n0,-1e30,1${two}`, /^d\.csv:2, column x: -1e30 is 1e15 or more in size; give/],
    ["a fraction of a frame", `frame,x,y\n0.5,1,2${two}`, /^d\.csv:2, column frame: "0.5" is not an integer; number/],
    ["a negative frame", `frame,x,y\n-2,1,2${two}`, /^d\.csv:2, column frame: -2 is below 0; number the frames/],
    [
      "a huge frame",
      "frame,x,y\n0,1,2\n1000000000000,1,2\n",
      /^d\.csv:3, column frame: 1000000000000 is 1000000000000 frames after 0, and a recording may span 1000000 frames; correct the row, solve the parts before and after the gap as two files, or, where these are times, give --columns time=frame and, if the times are uneven, --dt STEP$/,
    ],
    ["a frame past 2^53", "frame,x,y\n0,1,2\n1e17,1,2\n", /^d\.csv:3, column frame: 1e17 is above/],
    [
      "a frame past frames=",
      "# frames=2\nframe,x,y\n0,1,2\n2,1,2\n",
      /^d\.csv:4, column frame: 2 is above 1, the last of frames=2; correct/,
    ],
    ["frames=1", "# frames=1\nframe,x,y\n0,1,2\n", /^d\.csv:1, frames: "1" is not a number of frames; give/],
    [
      "huge frames=",
      "# frames=1000000000000\nframe,x,y\n0,1,2\n",
      /frames=1000000000000 makes 1000000000000 frames, and a recording may span 1000000 frames; correct the comment/,
    ],
    ["dt of 0", `# dt=0\nframe,x,y\n0,1,2${two}`, /^d\.csv:1, dt: "0" is not a time step; give a number/],
    ["dt with unit", `\n# dt=2s\nframe,x,y\n0,1,2${two}`, /^d\.csv:2, dt: "2s" is not a time step; .*without its unit/],
    ["dt twice", `# dt=2\n# dt=3\nframe,x,y\n0,1,2${two}`, /^d\.csv:2: gives dt twice; keep one/],
    ["vx alone", "frame,x,y,vx\n0,1,2,1\n1,1,2,1\n", /column vy: is empty|has a column vx but no vy; add vy/],
    [
      "a target twice",
      "frame,x,y,target\n4,1,2,9\n4,3,4,9\n5,1,1,9\n",
      /^d\.csv:3, column target: 9 is in frame 4 already, on line 2; a target/,
    ],
    [
      "a name twice",
      'frame,x,y,target\n0,1,2,"a\nb"\n0,3,4,"a\nb"\n1,1,1,c\n',
      /column target: "a\\nb" is in frame 0 already/,
    ],
    [
      "a negative target",
      "frame,x,y,target\n0,1,2,-5\n1,1,1,1\n",
      /^d\.csv:2, column target: "-5" is negative; .*empty/,
    ],
    [
      "half a target",
      "frame,x,y,target\n0,1,2,0.5\n1,1,1,1\n",
      /^d\.csv:2, column target: "0.5" is not an integer; give/,
    ],
    [
      "an infinite target",
      "frame,x,y,target\n0,1,2,inf\n1,1,1,1\n",
      /^d\.csv:2, column target: "inf" is no target; .*leave it empty/,
    ],
    ["a zero byte", "frame,x,y\n0,1,\u00002\n", /^d\.csv:2: holds a zero byte: a binary or UTF-16 file; save/],
    ["a line break in a value", 'frame,x,y\n0,"1\r\n1",2\n', /column x: "1\\r\\n1" is not a number/],
  ])("refuses %s", (_, text, message) => {
    expect(refused(text)).toMatch(message);
  });

  it("refuses binary files, and text in which UTF-8 and other bytes are mixed", () => {
    const parse = (bytes: Buffer) => refusal(() => parseDetections("d.csv", bytes));
    expect(parse(Buffer.from("frame,x,y\n0,1,\x01\xe9\n", "latin1"))).toMatch(
      /^d\.csv:2: holds bytes that are not UTF-8; save/,
    );
    const mixed = Buffer.concat([Buffer.from("frame,x,y,é\n0,1,2,"), Buffer.from([0xe9]), Buffer.from("\n")]);
    expect(parse(mixed)).toMatch(/^d\.csv:2: holds bytes that are not UTF-8; save/);
    expect(parse(Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x0a, 0x00]))).toMatch(/is UTF-16 text with bytes that are none/);
  });

  it("refuses paths that hold no text", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "file"), "frame,x,y\n0,1,2\n1,1,2\n");
    expect(readDetections(join(folder, "file")).detections.frames).toBe(2);
    expect(refusal(() => readDetections(join(folder, "absent.csv")))).toMatch(
      /absent\.csv: there is no such file.*check the path/,
    );
    expect(refusal(() => readDetections(join(folder, "sub")))).toMatch(/sub: is a folder, not a file; name a file/);
    expect(refusal(() => readDetections(join(folder, "file", "x")))).toMatch(/a part of the path is a file/);
    expect(refusal(() => readDetections("/dev/zero"))).toMatch(/is a device/);
    expect(refusal(() => readDetections("a\nb\0.csv"))).toMatch(/is not a valid path/);
  });

  it("reads every recording that is shipped", () => {
    const folder = join(import.meta.dirname, "../../scenarios/data");
    const files = readdirSync(folder).filter((name) => name.endsWith(".csv"));
    expect(files).toHaveLength(5);
    for (const name of files) {
      const { detections, metadata, unit } = readDetections(join(folder, name));
      expect(detections.target).not.toBeNull();
      expect(metadata.get("license")).toBeTruthy();
      expect(metadata.get("source")).toBeTruthy();
      expect(unit).toMatch(/^(m|px)$/);
      expect(read([...formatDetections(detections, metadata)].join("")).detections).toEqual(detections);
    }
  });

  it("parses or refuses any bytes", () => {
    const valid = "# dt=0.5 frames=4 units=m\nframe,x,y,vx,vy,target\n0,1,2.5,1,1,7\n1,-1,2e3,1,1,8\n3,0,0,.5,1,\n";
    const bytes = fc.oneof(byteSoup, mutated(Buffer.from(valid)));
    fc.assert(
      fc.property(bytes, (input) => parsesOrRefuses(() => parseDetections("d.csv", input))),
      { numRuns: 2000 },
    );
  });
});
