import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Frame } from "../../../src/core/frame.js";
import { ByteReader } from "../../../src/files/images/byte-reader.js";
import { type RawOptions, readFrame, readFrameFiles, readFrames } from "../../../src/files/images/frames.js";
import { checkSize } from "../../../src/files/images/samples.js";
import { rawFrames } from "../../../src/files/images/streams.js";
import { toGrey } from "../../../src/pixels/image.js";
import { refusal } from "../../formats/support.js";
import { pngFile } from "./png-writer.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "frames-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function all(path: string, raw: RawOptions = {}): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(path, raw)) frames.push(frame);
  return frames;
}

const bytesOf = (numbers: Uint8Array | Uint16Array | Float32Array) =>
  Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);

function npy(dtype: string, shape: readonly number[], data: Buffer, order = "False"): Buffer {
  const text = `{'descr': '${dtype}', 'fortran_order': ${order}, 'shape': (${shape.join(", ")}${shape.length === 1 ? "," : ""}), }`;
  const header = `${text.padEnd(117)}\n`;
  const start = Buffer.from("\x93NUMPY\x01\x00\x00\x00", "latin1");
  start.writeUInt16LE(header.length, 8);
  return Buffer.concat([start, Buffer.from(header), data]);
}

function y4m(space: string, frames: readonly (readonly number[])[], size = "W3 H2"): Buffer {
  const header = Buffer.from(`YUV4MPEG2 ${size} F25:1 Ip A1:1${space}\n`);
  return Buffer.concat([header, ...frames.map((bytes) => Buffer.from([...Buffer.from("FRAME\n"), ...bytes]))]);
}

describe("one image", () => {
  it.each([
    [
      "8-bit grey",
      pngFile([3, 2], 8, "grey", [
        [1, 2, 3],
        [4, 5, 255],
      ]),
      1,
      [1, 2, 3, 4, 5, 255],
    ],
    ["16-bit grey", pngFile([2, 1], 16, "grey", [[1, 2, 255, 254]]), 1, [258, 65534]],
    [
      "1-bit grey",
      pngFile([10, 2], 1, "grey", [
        [0b10110000, 0b01000000],
        [0, 0b11000000],
      ]),
      1,
      [255, 0, 255, 255, 0, 0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255],
    ],
    ["2-bit grey", pngFile([3, 1], 2, "grey", [[0b00011100]]), 1, [0, 85, 255]],
    ["colour", pngFile([2, 1], 8, "rgb", [[1, 2, 3, 4, 5, 6]]), 3, [1, 2, 3, 4, 5, 6]],
    ["opaque colour with alpha", pngFile([2, 1], 8, "rgba", [[1, 2, 3, 255, 4, 5, 6, 255]]), 3, [1, 2, 3, 4, 5, 6]],
    ["opaque 16-bit grey with alpha", pngFile([1, 1], 16, "greyAlpha", [[2, 1, 255, 255]]), 1, [513]],
    [
      "palette",
      pngFile([3, 1], 4, "palette", [[0x01, 0x00]], { PLTE: [9, 8, 7, 1, 2, 3] }),
      3,
      [9, 8, 7, 1, 2, 3, 9, 8, 7],
    ],
  ])("reads a PNG: %s", async (_, bytes, channels, samples) => {
    const frame = await readFrame(file("one.png", bytes));
    expect(frame.channels).toBe(channels);
    expect([...frame.samples]).toEqual(samples);
  });

  it.each([
    ["transparent pixels", pngFile([2, 1], 8, "rgba", [[1, 2, 3, 0, 4, 5, 6, 254]]), [1, 2, 3, 4, 5, 6]],
    ["a transparent colour", pngFile([2, 1], 8, "grey", [[1, 2]], { tRNS: [0, 1] }), [1, 2]],
  ])("ignores transparency where it is told to: %s", async (_, bytes, samples) => {
    const path = file("one.png", bytes);
    const notes: string[] = [];
    expect([...(await readFrame(path, { note: (sentence) => notes.push(sentence) })).samples]).toEqual(samples);
    expect(notes).toEqual([
      expect.stringMatching(/one\.png: \S.* is transparent; its colours are taken as they are\.$/),
    ]);
    await expect(readFrame(path)).rejects.toThrow(/transparent/);
  });

  it.each([
    ["P5", "P5 # comment\n3 2\n255\n\x01\x02\x03\x04\x05\x06", 1, [1, 2, 3, 4, 5, 6]],
    ["16-bit P5", "P5\n2 1\n65535\n\x01\x02\xff\xfe", 1, [258, 65534]],
    ["a P5 whose first pixel is a line feed", "P5\n1 2\n255\n\n\x01", 1, [10, 1]],
    ["P2", "P2\n# by hand\n3 1\n9\n1 2\n9\n", 1, [1, 2, 9]],
    ["P6", "P6\n1 1\n255\n\x01\x02\x03", 3, [1, 2, 3]],
    ["P3", "P3\n1 1\n1000\n1 2 999", 3, [1, 2, 999]],
  ])("reads %s", async (_, text, channels, samples) => {
    const frame = await readFrame(file("one.pnm", Buffer.from(text, "latin1")));
    expect(frame.channels).toBe(channels);
    expect([...frame.samples]).toEqual(samples);
  });

  it("weighs colours without rounding, and keeps 16 bits", async () => {
    const colour = toGrey(await readFrame(file("one.png", pngFile([1, 1], 8, "rgb", [[200, 100, 51]]))));
    expect(colour.pixels[0]).toBeCloseTo(0.299 * 200 + 0.587 * 100 + 0.114 * 51, 4);
    const deep = toGrey(await readFrame(file("one.png", pngFile([1, 1], 16, "grey", [[255, 254]]))));
    expect(deep.pixels[0]).toBe(65534);
  });
});

describe("a sequence", () => {
  const tiny = (value: number) => pngFile([1, 1], 8, "grey", [[value]]);

  it("notes that numbers of files are left out, once, and only where they go up in even steps otherwise", async () => {
    const notesOf = async (...numbers: number[]) => {
      const files = numbers.map((n) => file(`skipped/a2_${n}.png`, tiny(n)));
      const notes: string[] = [];
      for await (const _ of readFrameFiles(files, { note: (sentence) => notes.push(sentence) }));
      return notes.map((note) => note.slice(folder.length));
    };
    expect(await notesOf(1, 2, 4, 5, 10)).toEqual([
      "/skipped/a2_2.png: the next image is a2_4.png. Images are counted, so no frame is missed between them, whatever their numbers say.",
    ]);
    for (const whole of [
      [8, 9, 10],
      [10, 20, 30],
      [1, 9],
      [3, 2, 7],
    ])
      expect(await notesOf(...whole)).toEqual([]);
  });

  it("takes a folder's images in natural order, and leaves other files out", async () => {
    for (const n of [10, 9, 1]) file(`natural/frame${n}.png`, tiny(n));
    file("natural/truth.csv", "frame\n");
    expect((await all(join(folder, "natural"))).map((frame) => frame.samples[0])).toEqual([1, 9, 10]);
    expect((await all(join(folder, "natural", "frame?.png"))).map((frame) => frame.samples[0])).toEqual([1, 9]);
    expect((await all(join(folder, "natural", "*0*"))).map((frame) => frame.samples[0])).toEqual([10]);
  });

  it.each([
    ["|u1", Uint8Array.of(1, 2, 3, 4, 5, 6)],
    ["<u2", Uint16Array.of(1, 2, 3, 4, 5, 60000)],
    ["<f4", Float32Array.of(1, 2, 3, 4, 5, -0.5)],
  ])("reads an array (T, H, W) of %s", async (dtype, data) => {
    const frames = await all(file("a.npy", npy(dtype, [3, 1, 2], bytesOf(data))));
    expect(frames.map(({ width, height }) => [width, height])).toEqual([
      [2, 1],
      [2, 1],
      [2, 1],
    ]);
    expect(frames.flatMap(({ samples }) => [...samples])).toEqual([...data]);
  });

  it("reads raw frames of each type", async () => {
    const size = { width: 2, height: 1 };
    const data = Float32Array.of(1.5, 2, 3, 4);
    const frames = await all(file("raw.bin", bytesOf(data)), { size, type: "f32le" });
    expect(frames.flatMap(({ samples }) => [...samples])).toEqual([...data]);
    expect((await all(file("raw.bin", bytesOf(data)), { size, type: "u8" })).length).toBe(8);
  });

  const luma = [1, 2, 3, 4, 5, 6];
  it.each([
    ["", 4],
    [" C420jpeg", 4],
    [" C422", 8],
    [" C444", 12],
    [" C411", 4],
    [" Cmono", 0],
  ])("takes the luma of y4m in colour space%s", async (space, colours) => {
    const frame = (add: number) => [...luma.map((value) => value + add), ...Array(colours).fill(77)];
    const frames = await all(file("a.y4m", y4m(space, [frame(0), frame(10)])));
    expect(frames.map(({ samples }) => [...samples])).toEqual([luma, luma.map((value) => value + 10)]);
  });

  it("takes deep luma of y4m", async () => {
    const deep = luma.flatMap((value) => [value, 3]);
    const [frame] = await all(file("a.y4m", y4m(" C420p10", [[...deep, ...Array(8).fill(9)]])));
    expect([...frame.samples]).toEqual(luma.map((value) => value + 768));
  });

  it("streams: an endless input is read no further than its frames are taken", async () => {
    let chunks = 0;
    async function* endless() {
      for (; ; chunks++) yield Buffer.alloc(1000, chunks);
    }
    const frames = rawFrames(new ByteReader("endless", endless()), { width: 50, height: 50, type: "u8" });
    const first = (await frames.next()).value as Frame;
    const second = (await frames.next()).value as Frame;
    expect([first.samples[999], first.samples[1000], second.samples[0], second.samples[2499]]).toEqual([0, 1, 2, 4]);
    expect(chunks).toBeLessThan(6);
  });
});

describe("bad input is refused with its place", () => {
  const png = pngFile([3, 2], 8, "grey", [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  const damaged = Buffer.from(png);
  damaged[45] ^= 1;
  const size = { width: 2, height: 1 };
  it.each<[string, string, string | Uint8Array, RegExp, RawOptions?]>([
    ["text named .png", "bad.png", "hello", /bad\.png: is not a PNG file/],
    ["a cut PNG", "bad.png", png.subarray(0, png.length - 20), /bad\.png: cannot be decoded/],
    ["a PNG cut in its header", "bad.png", png.subarray(0, 30), /bad\.png: is not a PNG file/],
    ["a damaged PNG", "bad.png", damaged, /bad\.png: cannot be decoded/],
    [
      "a PNG with too few rows",
      "bad.png",
      pngFile([3, 2], 8, "grey", [[1, 2, 3]]),
      /bad\.png: holds 4 of the 8 bytes of its pixels; the file is damaged/,
    ],
    ["a PNG of absurd size", "bad.png", pngFile([2 ** 30, 2 ** 30], 8, "grey", [[1]]), /has a size of 1073741824/],
    ["a PNG without pixels", "bad.png", pngFile([0, 4], 8, "grey", []), /has a size of 0 × 4/],
    [
      "a transparent pixel",
      "bad.png",
      pngFile([2, 1], 8, "rgba", [[1, 2, 3, 255, 4, 5, 6, 254]]),
      /pixel x 1, y 0 is transparent/,
    ],
    [
      "a transparent colour",
      "bad.png",
      pngFile([2, 1], 8, "grey", [[1, 2]], { tRNS: [0, 1] }),
      /one colour is transparent/,
    ],
    [
      "a palette index without colour",
      "bad.png",
      pngFile([2, 1], 8, "palette", [[0, 9]], { PLTE: [1, 2, 3] }),
      /bad\.png: cannot be decoded/,
    ],
    ["another format named .pgm", "bad.pgm", "BM....", /bad\.pgm: starts with "BM"/],
    ["a cut PGM", "bad.pgm", "P5 3 2 255\n123", /holds 3 of 6 bytes of pixels/],
    ["a PGM with more", "bad.pgm", "P5 1 1 255\n1234", /holds 3 bytes after its pixels/],
    ["a word in a plain PGM", "bad.pgm", "P2 1 1 255\nx", /value number 0 "x"/],
    ["a value above the maximum", "bad.pgm", "P5 2 1 40\n(\x29", /pixel x 1, y 0 is 41, above the maximum 40/],
    ["doubles", "bad.npy", npy("<f8", [1, 1, 1], Buffer.alloc(8)), /elements of type "<f8"/],
    ["an array of four axes", "bad.npy", npy("|u1", [1, 1, 1, 3], Buffer.alloc(3)), /has the shape \(1, 1, 1, 3\)/],
    ["an array without frames", "bad.npy", npy("|u1", [0, 2, 2], Buffer.alloc(0)), /holds no frame/],
    ["Fortran order", "bad.npy", npy("|u1", [1, 1, 3], Buffer.alloc(3), "True"), /is in Fortran order/],
    ["a cut array", "bad.npy", npy("|u1", [2, 1, 3], Buffer.alloc(5)), /bad\.npy, frame 1: ends after 2 of 3 bytes/],
    ["an array with more", "bad.npy", npy("|u1", [1, 1, 3], Buffer.alloc(5)), /goes on after its last frame/],
    [
      "NaN",
      "bad.npy",
      npy("<f4", [2, 1, 2], bytesOf(Float32Array.of(1, 2, 3, Number.NaN))),
      /frame 1: pixel x 1, y 0 is NaN/,
    ],
    [
      "cut raw frames",
      "bad.raw",
      Buffer.alloc(5),
      /frame 2: ends after 1 of 2 bytes; check --size and --type/,
      { size, type: "u8" },
    ],
    ["empty raw frames", "bad.raw", Buffer.alloc(0), /frame 0: ends after 0 of 2 bytes/, { size, type: "u8" }],
    ["raw without a type", "bad.raw", Buffer.alloc(5), /need both their size and their type/, { size }],
    ["an unknown ending", "bad.xyz", "II*", /is no image by its ending "\.xyz"; give PNG/],
    ["GIF", "bad.gif", "GIF", /is no image by its ending "\.gif"; convert it: convert '\S+bad\.gif' '\S+bad\.png'/],
    ["JPEG", "bad.JPG", "II*", /convert it: convert '\S+bad\.JPG' '\S+bad\.png'/],
    ["BMP", "bad.bmp", "BM", /convert it: convert '\S+bad\.bmp' '\S+bad\.png'/],
    ["a film", "bad.mp4", "", /convert it: ffmpeg -i '\S+bad\.mp4' '\S+bad\.y4m'/],
    ["a palette image without a palette", "bad.png", pngFile([1, 1], 8, "palette", [[0]]), /there is no palette/],
    [
      "pixels that unpack to more than the header says",
      "bad.png",
      pngFile([1, 1], 8, "grey", [new Array<number>(1e5).fill(0)]),
      /bad\.png: holds more than the 2 bytes of its pixels; the file is damaged/,
    ],
    ["an empty y4m", "bad.y4m", "", /is empty/],
    ["y4m without frames", "bad.y4m", y4m("", []), /holds no frame/],
    ["y4m of unknown size", "bad.y4m", y4m("", [], "W3"), /has no H in its header/],
    ["y4m with a width in words", "bad.y4m", Buffer.from("YUV4MPEG2 W1e1 H4 Cmono\nFRAME\n"), /"W1e1" in its header/],
    ["an unknown colour space", "bad.y4m", y4m(" Cxyz", []), /colour space "xyz"/],
    ["interlaced y4m", "bad.y4m", "YUV4MPEG2 W3 H2 It\nFRAME\n", /is interlaced/],
    ["y4m cut in its luma", "bad.y4m", y4m("", [[1, 2]]), /frame 0: ends after 2 of 6 bytes/],
    [
      "y4m cut in its colours",
      "bad.y4m",
      y4m("", [Array(10).fill(1), Array(8).fill(1)]),
      /frame 1: ends after 2 of 4 bytes of colour/,
    ],
    ["y4m out of step", "bad.y4m", y4m("", [Array(11).fill(65)]), /frame 1: starts with "A", not FRAME/],
  ])("%s", async (_, name, content, message, raw) => {
    await expect(all(file(name, content), raw)).rejects.toThrow(message);
  });

  it("folders and globs of images in other forms", async () => {
    file("others/a.webp", "RIFF");
    for (const path of ["others", "others/a*"]) {
      const says = /holds no PNG, TIFF, PGM or PPM file; convert its files: mogrify -format png '\S+others\/\*\.webp'/;
      await expect(all(join(folder, path))).rejects.toThrow(says);
    }
  });

  it("sizes that the memory cannot hold, before a pixel is read", () => {
    const line = refusal(() => checkSize("a.png", 16_384, 16_384, 128, 2 ** 30));
    expect(line).toBe(
      "a.png: has a size of 16384 × 16384 pixels, which need about 32.0 GiB, but there are 1.0 GiB; give an image of up to 8388608 pixels",
    );
    checkSize("a.png", 4096, 2048, 128, 2 ** 30);
  });

  it("frames that differ in size or type, and what is not there", async () => {
    file("sizes/1.png", pngFile([1, 1], 8, "grey", [[1]]));
    const second = file("sizes/2.png", pngFile([2, 1], 8, "grey", [[1, 2]]));
    await expect(all(join(folder, "sizes"))).rejects.toThrow(/2\.png: is 2 × 1 pixels, but .*1\.png 1 × 1/);
    writeFileSync(second, pngFile([1, 1], 16, "grey", [[1, 1]]));
    await expect(all(join(folder, "sizes"))).rejects.toThrow(/2\.png: has 16 bits a sample, but .*1\.png 8/);
    await expect(all(join(folder, "none"))).rejects.toThrow(/none: there is no such file/);
    await expect(all(join(folder, "none.y4m"))).rejects.toThrow(/none\.y4m: there is no such file/);
    await expect(all(join(folder, "none*.png"))).rejects.toThrow(/holds no PNG/);
    await expect(readFrame(file("two.npy", npy("|u1", [2, 1, 1], Buffer.alloc(2))))).rejects.toThrow(
      /more than one frame/,
    );
  });
});
