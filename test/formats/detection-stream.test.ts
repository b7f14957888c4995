import { describe, expect, test } from "vitest";
import { streamDetections } from "../../src/formats/detection-stream.js";
import { FramesInOrder } from "../../src/formats/frames-in-order.js";

async function* pieces(text: string) {
  yield Buffer.from(text);
}

async function framesOf(text: string, velocities: boolean) {
  const frames = new FramesInOrder("d.csv");
  await streamDetections("d.csv", pieces(text), {
    velocities,
    onStart: (metadata, _ignored, _carried, _hasTargets, hasDepths) => frames.begin(metadata, hasDepths),
    onRow: (row) => frames.add(row),
    onPause: () => {},
  });
  frames.end();
  return { numbers: frames.numbers, frames: frames.taken() };
}

describe("frames from a stream", () => {
  test.each(["", "\ufeff"])("reading goes on at any place that was told of, after a mark %j", async (mark) => {
    const lines = Array.from({ length: 60 }, (_, n) => `${Math.floor(n / 3)},${n}.5,7,"ä ""${n}"",\n"`);
    const bytes = Buffer.from(`${mark}# dt=1\n# é\nframe,x,y,note\n${lines.join("\n")}\n`);
    const inPieces = async function* (size: number, from = 0) {
      for (let at = from; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    for (const size of [7, 50, 1000, 10_000]) {
      const places: { offset: number; line: number; rows: number }[] = [];
      const rows: unknown[] = [];
      const start = { carry: true, onStart: () => {} };
      await streamDetections("d.csv", inPieces(size), {
        ...start,
        onRow: (row) => rows.push(row),
        onPause: (place) => {
          if (place !== null) places.push({ ...place, rows: rows.length });
        },
      });
      expect(places.length).toBeGreaterThan(0);
      for (const { rows: before, ...place } of places) {
        const rest: unknown[] = [];
        const resumed = { place, pieces: inPieces(size, place.offset) };
        const read = { ...start, onRow: (row: unknown) => rest.push(row), onPause: () => {} };
        await streamDetections("d.csv", inPieces(size), read, resumed);
        expect(rest).toEqual(rows.slice(before));
      }
    }
    // Rows of a clock or of other encodings are read one after another.
    for (const other of [Buffer.from("time,x,y\n1,2,3\n2,2,3\n"), Buffer.from("frame,x,y\n1,2,3\n", "utf16le")]) {
      const told: unknown[] = [];
      const asked = { dt: 1 };
      const read = { asked, onStart: () => {}, onRow: () => {}, onPause: (place: unknown) => void told.push(place) };
      await streamDetections(
        "d.csv",
        (async function* () {
          yield other;
        })(),
        read,
      );
      expect(new Set(told)).toEqual(new Set([null]));
    }
  });

  test("frames without rows are empty, at the end too where their number is stated", async () => {
    const { numbers, frames } = await framesOf("frame,x,y\n3,1,2\n3,3,4\n5,5,6\n", false);
    expect(numbers).toEqual({ first: 3, step: 1 });
    expect(frames.map(({ x }) => x)).toEqual([[1, 3], [], [5]]);
    const stated = await framesOf("# frames=5 step=10\nframe,x,y\n10,1,2\n", false);
    expect(stated.numbers).toEqual({ first: 0, step: 10 });
    expect(stated.frames.map(({ x }) => x)).toEqual([[], [1], [], [], []]);
  });

  test("velocities are read where they are asked for, and may be missing in some rows", async () => {
    const text = "frame,x,y,vx,vy\n0,1,2,3,4\n0,1,2,,\n";
    expect((await framesOf(text, true)).frames[0]).toMatchObject({ vx: [3, Number.NaN], vy: [4, Number.NaN] });
    const half = await framesOf("frame,x,y,vx,vy\n0,1,2,3,\n", true);
    expect(half.frames[0]).toMatchObject({ vx: [Number.NaN], vy: [Number.NaN] });
    await expect(framesOf("frame,x,y,vx,vy\n0,1,2,3,up\n", true)).rejects.toThrow(/d\.csv:2, column vy: "up" is not a/);
    expect((await framesOf("frame,x,y,vx,vy\n0,1,2,up,\n", false)).frames[0].vx).toEqual([Number.NaN]);
  });

  test("a stream is understood from its first rows, wherever its pieces end; times need a step", async () => {
    const text = "Frame;X;Y;a\n3;1,5;2;7,5\n3;NaN;2;1\n5;5,25;6;8\n";
    async function* bytes() {
      for (const byte of Buffer.from(text)) yield Buffer.of(byte);
    }
    const rows: unknown[] = [];
    const { reading } = await streamDetections("d.csv", bytes(), {
      carry: true,
      onStart: (...[, , carried]) => rows.push(carried),
      onRow: ({ frame, x, y, carried, line }) => rows.push([frame, x, y, carried, line]),
      onPause: () => {},
    });
    expect(rows).toEqual([["a"], [3, 1.5, 2, ",7.5", 2], [5, 5.25, 6, ",8", 4]]);
    expect(reading).toMatchObject({ separator: ";", decimal: ",", rows: 3, dropped: 1, firstDropped: 3 });
    const timed = (asked: { dt?: number }) => {
      const found: number[] = [];
      const onRow = ({ frame }: { frame: number }) => found.push(frame);
      const start = { asked, onStart: () => {}, onRow, onPause: () => {} };
      return streamDetections("d.csv", pieces("time,x,y\n0.5,1,2\n1.01,1,2\n2,1,2\n"), start).then(() => found);
    };
    expect(await timed({ dt: 0.5 })).toEqual([0, 1, 3]);
    await expect(timed({})).rejects.toThrow(
      /d\.csv: has times in the column time, whose step a stream does not show; give/,
    );
  });

  test.each([
    ["1,1,1\n0,1,1\n", /d\.csv:3, column frame: 0 comes after 1; sort the rows by frame/],
    ["0,1,1\n2000000,1,1\n", /d\.csv:3, column frame: 2000000 is more than 1000000 frames after 0/],
  ])("%j is refused", async (rows, says) => {
    await expect(framesOf(`frame,x,y\n${rows}`, false)).rejects.toThrow(says);
  });
});
