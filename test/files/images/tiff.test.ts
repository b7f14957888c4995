import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { countFrames, type RawOptions, readFrameFiles, readFrames } from "../../../src/files/images/frames.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";
import { type TiffForm, type TiffPage, tiffFile } from "./tiff-writer.js";

const folder = temporaryFolder();
const [width, height] = [5, 4];

function page<Numbers extends TiffPage["samples"]>(type: { from(values: Iterable<number>): Numbers }, first: number) {
  return { width, height, samples: type.from(Array.from({ length: width * height }, (_, k) => first + 3 * k)) };
}

const file = (bytes: Uint8Array) => {
  const path = join(folder, "a.tif");
  writeFileSync(path, bytes);
  return path;
};

async function read(pages: readonly TiffPage[], form: TiffForm = {}, raw: RawOptions = {}) {
  const frames: number[][] = [];
  for await (const { samples } of readFrames(file(tiffFile(pages, form)), raw)) frames.push([...samples]);
  return frames;
}

const film = [0, 1, 2, 3, 4, 5].map((n) => page(Uint16Array, 1000 * n));
const numbers = (pages: readonly TiffPage[]) => pages.map(({ samples }) => [...samples]);

const ome = (order: string, [c, z, t]: readonly number[], extra = "") =>
  `<?xml version="1.0"?><OME xmlns="x"><Image ID="Image:0"><Pixels DimensionOrder="${order}" SizeC="${c}" SizeT="${t}" ` +
  `SizeX="5" SizeY="4" SizeZ="${z}" Type="uint16"><Channel ID="Channel:0:0" SamplesPerPixel="1"/></Pixels></Image>${extra}</OME>`;

describe("the pages of a TIFF file are frames", () => {
  it.each<[string, readonly TiffPage[], TiffForm]>([
    ["8 bits", [page(Uint8Array, 9), page(Uint8Array, 1)], {}],
    ["16 bits", film, {}],
    ["signed 16 bits", [page(Int16Array, -20)], {}],
    ["32 bits", [page(Uint32Array, 2 ** 24 - 60)], {}],
    ["signed 32 bits, big-endian", [page(Int32Array, -20)], { bigEndian: true }],
    ["f32", [page(Float32Array, 0.25)], {}],
    ["RGB", [{ width, height, channels: 3, samples: Uint8Array.from({ length: 60 }, (_, k) => k) }], {}],
    ["big-endian", film, { bigEndian: true }],
    // With many strips their places lie beyond what the decoder reads at first.
    ["big-endian in strips", new Array(3).fill(film).flat(), { bigEndian: true, rowsPerStrip: 1 }],
    ["deflated strips", film, { deflate: true, rowsPerStrip: 3 }],
    ["ImageJ's film", film, { description: "ImageJ=1.53t\nimages=6\nframes=6\nloop=false\n" }],
    ["OME's film", film, { description: ome("XYCZT", [1, 1, 6]) }],
  ])("%s", async (_, pages, form) => {
    expect(await read(pages, form)).toEqual(numbers(pages));
    expect(await countFrames(join(folder, "a.tif"))).toBe(pages.length);
  });

  it.each([
    ["ImageJ", "ImageJ=1.53t\nimages=6\nchannels=2\nframes=3\nhyperstack=true\n", [1, 3, 5]],
    ["OME, channels first", ome("XYCZT", [2, 1, 3]), [1, 3, 5]],
    ["OME, times first", ome("XYTZC", [2, 1, 3]), [3, 4, 5]],
  ])("one channel of several: %s", async (_, description, second) => {
    expect(await read(film, { description }, { channel: 2 })).toEqual(numbers(second.map((n) => film[n])));
    await expect(read(film, { description })).rejects.toThrow(/a\.tif: has 2 channels; choose one with --channel/);
    await expect(read(film, { description }, { channel: 3 })).rejects.toThrow(/has 2 channels, and --channel is 3/);
  });

  it("slices without times are frames, which a note says", async () => {
    const notes: string[] = [];
    const description = "ImageJ=1.53t\nimages=6\nslices=6\n";
    expect(await read(film, { description }, { note: (sentence) => notes.push(sentence) })).toEqual(numbers(film));
    expect(notes).toEqual([
      expect.stringMatching(/a\.tif: its 6 slices are taken as frames, since it has one time only\.$/),
    ]);
    await expect(read(film, { description })).rejects.toThrow(/is a stack of 6 slices; save them as frames/);
  });

  it("a palette is left out, which a note says once", async () => {
    const notes: string[] = [];
    const note = (sentence: string) => notes.push(sentence);
    expect(await read([page(Uint8Array, 0)], { tags: { 262: 3 } }, { note })).toEqual(numbers([page(Uint8Array, 0)]));
    expect(notes).toEqual([expect.stringMatching(/a\.tif: has a palette; its numbers are taken as grey values/)]);
  });

  it("a folder of files of one page each is a sequence in natural order", async () => {
    const images = folderWith(folder, { "t10.tif": tiffFile([film[2]]), "t9.TIF": tiffFile([film[1]]) });
    const frames: number[] = [];
    for await (const { samples } of readFrames(images)) frames.push(samples[0]);
    expect(frames).toEqual([1000, 2000]);
    writeFileSync(join(images, "t10.tif"), tiffFile(film));
    const all = async () => {
      for await (const _ of readFrameFiles([join(images, "t9.TIF"), join(images, "t10.tif")]));
    };
    await expect(all()).rejects.toThrow(/t10\.tif: holds more than one page; name a file of many pages alone/);
  });
});

describe("what is no film of grey or RGB is refused with words", () => {
  const whole = tiffFile([film[0], film[1]]);
  it.each<[string, Uint8Array, RegExp]>([
    [
      "another format",
      Buffer.from("GIF89a, and more"),
      /a\.tif: cannot be read as TIFF \(Invalid byte order value\.\)/,
    ],
    ["an empty file", Buffer.alloc(0), /a\.tif: cannot be read as TIFF/],
    ["a file cut short", whole.subarray(0, whole.length - 150), /the file is damaged or cut short: copy it again/],
    [
      "a header of any size",
      tiffFile([film[0]], { tags: { 256: 1e5, 257: 1e5 } }),
      /page 1: has a size of 100000 × 100000/,
    ],
    [
      "fewer rows than it says",
      tiffFile([film[0]], { tags: { 257: 400 } }),
      /has the places of 1 of 100 pieces of its pixels/,
    ],
    [
      "pixels beyond the end",
      tiffFile([film[0]], { tags: { 279: 4e9 } }),
      /page 1: has 4000000000 bytes of pixels from byte 8 on/,
    ],
    [
      "32-bit integers beyond those of f32",
      tiffFile([page(Uint32Array, 2 ** 32 - 100)]),
      /has 4294967196, which f32 does not hold exactly; save it as grey of 8, 16 or 32 bits/,
    ],
    ["0 is white", tiffFile([film[0]], { tags: { 262: 0 } }), /says that 0 is white/],
    ["two samples a pixel", tiffFile([film[0]], { tags: { 277: 2 } }), /has 2 samples a pixel/],
    [
      "NaN",
      tiffFile([{ width: 2, height: 1, samples: Float32Array.of(1, Number.NaN) }]),
      /page 1: pixel x 1, y 0 is NaN/,
    ],
    [
      "pages of two sizes",
      tiffFile([film[0], { width: 2, height: 1, samples: new Uint16Array(2) }]),
      /page 2: is 2 × 1 pixels, but \S+, page 1 5 × 4/,
    ],
    [
      "z-stacks",
      tiffFile(film, { description: "ImageJ=1\nimages=6\nslices=2\nframes=3\n" }),
      /holds z-stacks of 2 slices at 3 times/,
    ],
    [
      "a part of OME's planes",
      tiffFile(film, { description: ome("XYCZT", [1, 1, 9]) }),
      /speaks of 9 planes, but it holds 6/,
    ],
    [
      "two series",
      tiffFile(film, { description: ome("XYCZT", [1, 1, 6], ome("XYCZT", [1, 1, 6])) }),
      /holds 2 series of images/,
    ],
  ])("%s", async (_, bytes, message) => {
    const all = async () => {
      for await (const _ of readFrames(file(bytes)));
    };
    await expect(all()).rejects.toThrow(message);
  });

  it("pages that follow each other in a ring", async () => {
    const bytes = tiffFile([film[0], film[1]]);
    // The file ends with the place of the next page, and begins with that of the first.
    bytes.copy(bytes, bytes.length - 4, 4, 8);
    const all = async () => {
      for await (const _ of readFrames(file(bytes)));
    };
    await expect(all()).rejects.toThrow(/names byte \d+ of \d+ as its next page/);
  });
});
