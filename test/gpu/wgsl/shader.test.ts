import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { integerOf } from "../../../src/gpu/wgsl/integer.js";
import { Shader } from "../../../src/gpu/wgsl/shader.js";
import { withFiles } from "./files.js";

const kernelFiles = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".wgsl"));

const inFolder = async (files: Record<string, string>, work: (load: (name: string) => Shader) => void) =>
  await withFiles(files, (folder) => work((name) => new Shader(new URL(name, folder))));

/**
 * Pieces that the host chooses or makes: how frames, states and sums are stored, the format of a flow's numbers; a rule's cost, a formula, a
 * loop's body. Where it chooses, the candidates lie beside the kernel as name-*.wgsl; what it makes declares nothing to bind.
 */
const CHOSEN = ["base", "format", "reduction"];
const MADE = ["block", "blurs", "formulas", "smoothed", "triplet-cost"];

/** Every way to choose the pieces that lie in a folder of src. */
function choicesIn(folder: string): Record<string, string>[] {
  const made: Record<string, string> = Object.fromEntries(MADE.map((name) => [name, ""]));
  return CHOSEN.reduce(
    (choices, name) => {
      const pattern = new RegExp(`^${name}-\\w+(-\\w+)*\\.wgsl$`);
      const found = readdirSync(join("src", folder)).filter((file) => pattern.test(file));
      if (found.length === 0) return choices;
      return choices.flatMap((choice) =>
        found.map((file) => ({ ...choice, [name]: `#import ${basename(file, ".wgsl")}` })),
      );
    },
    [made],
  );
}

const shaderOf = (file: string, texts: Record<string, string>) =>
  new Shader(new URL(`../../../src/${file}`, import.meta.url), texts);
const numbersOf = (shader: Shader) => Array.from(shader.declarations.bindings.values(), ({ binding }) => binding);

describe("#import", () => {
  test("takes a piece once, whoever asks for it, and lines keep their places", async () => {
    const files = {
      "a.wgsl": "// a\n#import b\n#import c\nfn a() {}",
      "b.wgsl": "#import c // shared\nfn b() {}",
      "c.wgsl": "fn c() {}",
    };
    await inFolder(files, (load) => {
      const { code, place } = placed(load("a.wgsl"));
      expect(code).toEqual(["// a", "fn c() {}", "fn b() {}", "fn a() {}"]);
      expect(place).toEqual(["a.wgsl:1", "c.wgsl:1", "b.wgsl:2", "a.wgsl:4"]);
    });
  });

  test("moves directives of pieces to the top, where WGSL wants them", async () => {
    const files = { "a.wgsl": "const A = 1;\n#import b", "b.wgsl": "enable subgroups;\nconst B = 2;" };
    await inFolder(files, (load) => {
      const { code, place } = placed(load("a.wgsl"));
      expect(code).toEqual(["enable subgroups;", "const A = 1;", "const B = 2;"]);
      expect(place).toEqual(["b.wgsl:1", "a.wgsl:1", "b.wgsl:2"]);
    });
  });

  test("names the line whose piece cannot be found", async () => {
    await inFolder({ "a.wgsl": "\n#import missing" }, (load) => {
      expect(() => load("a.wgsl")).toThrow(/a\.wgsl:2: #import missing finds no .*missing\.wgsl$/);
    });
    await inFolder({ "a.wgsl": '#import "b.wgsl"' }, (load) => {
      expect(() => load("a.wgsl")).toThrow(/a\.wgsl:1: "#import "b\.wgsl"" names no piece; write #import name/);
    });
  });
});

describe("declarations", () => {
  test("are found between comments, templates, comparisons and function bodies", async () => {
    const text = `// struct No { a: u32 }
override A = 2 * 3; // struct No { a: u32 }
@id(3) override B: f32;
struct Yes { a: array<vec4<f32>, 2>, @align(16) b: atomic<u32>, }
@group(0) @binding(2) var<storage> read: array<array<u32, 4>>;
@binding(0) @group(0) var<storage, read_write> both: Yes;
var<workgroup> tile: array<f32, A>;
fn f(i: u32) -> bool { for (var k = i; k < read[0][1]; k++) { if (k > 2 && k >> 1 < 3) { return true; } } return false; }
@workgroup_size(A, 4) @compute fn main() {}`;
    await inFolder({ "a.wgsl": text }, (load) => {
      const { structs, bindings, overrides, entries } = load("a.wgsl").declarations;
      expect([...structs.keys()]).toEqual(["Yes"]);
      const found = Array.from(bindings.values(), ({ name, binding, access, line }) => [name, binding, access, line]);
      expect(found).toEqual([
        ["read", 2, "", 5],
        ["both", 0, "read_write", 6],
      ]);
      expect(Array.from(overrides.values(), ({ name, value }) => [name, value])).toEqual([
        ["A", "2 * 3"],
        ["B", null],
      ]);
      expect([...entries]).toEqual([["main", ["A", "4"]]]);
    });
  });

  test.each([
    ["fn f() {}\n/* b */", /a\.wgsl:2: kernels have comments after \/\/ alone/],
    ["struct A {\n  @size(16) a: u32 }", /a\.wgsl:2: a has a @size, which the host does not know/],
  ])("in forms that no kernel has are refused: %j", async (text, says) => {
    await inFolder({ "a.wgsl": text }, (load) => expect(() => load("a.wgsl").declarations).toThrow(says));
  });

  test("that clash or lie outside group 0 are refused with both places", async () => {
    const first = "@group(0) @binding(0) var<storage> a: array<u32>;\n";
    await inFolder({ "a.wgsl": `${first}@group(0) @binding(0) var<storage> b: array<u32>;` }, (load) => {
      expect(() => load("a.wgsl")).toThrow(/a\.wgsl:2: @binding\(0\) b and @binding\(0\) a at .*a\.wgsl:1 clash/);
    });
    await inFolder({ "a.wgsl": `${first}@group(1) @binding(0) var<storage> b: array<u32>;` }, (load) => {
      expect(() => load("a.wgsl")).toThrow(/a\.wgsl:2: b must be bound in @group\(0\)/);
    });
    await inFolder({ "a.wgsl": "struct A {\n  a: u32" }, (load) => {
      expect(() => load("a.wgsl")).toThrow(/a\.wgsl:2: the file ends within a declaration/);
    });
  });

  test("of every piece that the host chooses or makes are imported somewhere and have no file of their own", () => {
    const texts = kernelFiles.map((file) => readFileSync(join("src", file), "utf8"));
    for (const name of [...CHOSEN, ...MADE]) {
      expect(texts.some((text) => new RegExp(`^#import ${name}$`, "m").test(text))).toBe(true);
      if (MADE.includes(name)) expect(kernelFiles.filter((file) => basename(file) === `${name}.wgsl`)).toEqual([]);
    }
  });

  // A piece that several kernels share has one number in all of them, so a kernel that does without it leaves that number out. Any other
  // hole is a slip: a buffer that was taken out, or a number that was miscounted.
  test.each(kernelFiles)("of %s are understood; a number that is left out is that of a shared piece", (file) => {
    const folder = dirname(file);
    const pieces = kernelFiles.filter((other) => dirname(other) === folder);
    for (const texts of choicesIn(folder)) {
      const shader = shaderOf(file, texts);
      const numbers = new Set(numbersOf(shader));
      expect(numbers.size).toBe(numbersOf(shader).length);
      if (shader.declarations.entries.size === 0) continue;
      const missing = Array.from({ length: Math.max(-1, ...numbers) }, (_, k) => k).filter((k) => !numbers.has(k));
      if (missing.length === 0) continue;
      const shared = new Set(
        pieces.flatMap((piece) => {
          const other = shaderOf(piece, texts);
          return other.declarations.entries.size === 0 ? numbersOf(other) : [];
        }),
      );
      expect(missing.filter((k) => !shared.has(k))).toEqual([]);
    }
  });

  // Chromium offers 10, and the page's solves run in it.
  test.each(kernelFiles)("of %s have at most the storage buffers that a browser binds", (file) => {
    for (const texts of choicesIn(dirname(file))) {
      const { bindings } = shaderOf(file, texts).declarations;
      const stored = Array.from(bindings.values()).filter(({ space }) => space === "storage");
      expect(stored.length, stored.map(({ name }) => name).join(", ")).toBeLessThanOrEqual(10);
    }
  });
});

test.each([
  ["7", 7],
  ["0x10u", 16],
  ["2 * (N + 1) - 6 / 4 % 2", 9],
  ["N * TWICE", 32],
  ["N * M", Number.NaN],
  ["N +", Number.NaN],
  ["select(1, 2, true)", Number.NaN],
  ["2 3", Number.NaN],
])("the size %s is %s", (text, value) => {
  const names: Record<string, string | number> = { N: 4, TWICE: "2 * N" };
  expect(integerOf(text, (name) => names[name])).toBe(value);
});

test("a line to unroll is there once for each number, at its own place; another is refused", async () => {
  const files = {
    "a.wgsl": "fn a() {\n  #unroll k 2..4 row[$k] += kept[$k - 1]; // $keep\n}",
    "b.wgsl": "fn b() {\n  #unroll 1..7 row[$k] = 0;\n}",
    "c.wgsl": "fn c() {\n  #unroll k 1..7 row[0] = 0;\n}",
  };
  await inFolder(files, (load) => {
    const { code, place } = placed(load("a.wgsl"));
    const lines = [2, 3, 4].map((k) => `  row[${k}] += kept[${k} - 1]; // $keep`);
    expect(code).toEqual(["fn a() {", ...lines, "}"]);
    expect(place).toEqual(["a.wgsl:1", "a.wgsl:2", "a.wgsl:2", "a.wgsl:2", "a.wgsl:3"]);
    for (const name of ["b", "c"]) {
      expect(() => load(`${name}.wgsl`)).toThrow(
        /[bc]\.wgsl:2: "#unroll .*" is no line to repeat; write #unroll k 1\.\.7/,
      );
    }
  });
});

describe("records", () => {
  const text =
    "struct Run { first: u32, shift: i32, at: vec2f }\nstruct Open { a: array<u32> }\nstruct Odd { a: bool }";

  test("refuse what they have no field for, what is missing, and numbers that a field cannot hold", async () => {
    await inFolder({ "a.wgsl": text }, (load) => {
      const run = load("a.wgsl").struct("Run");
      const right = { first: 1, shift: -1, at: [0, 1] };
      expect(run.size).toBe(16);
      expect(run.unpack(run.pack([right, right]).buffer)).toEqual([right, right]);
      expect(() => run.pack([{ ...right, count: 1 }])).toThrow(/Run has no field count; it has first, shift, at/);
      expect(() => run.pack([{ first: 1, shift: 1 }])).toThrow(/field at of struct Run is not given/);
      expect(() => run.pack([{ ...right, first: -1 }])).toThrow(/Run\.first is u32 and cannot be -1/);
      expect(() => run.pack([{ ...right, shift: 0.5 }])).toThrow(/Run\.shift is i32 and cannot be 0\.5/);
      expect(() => run.pack([{ ...right, at: [1, 2, 3] }])).toThrow(/Run\.at holds 2 values, not 3/);
    });
  });

  test("of unknown structs and of types without a size are refused with their line", async () => {
    await inFolder({ "a.wgsl": text }, (load) => {
      expect(() => load("a.wgsl").struct("Walk")).toThrow(/a\.wgsl declares no struct Walk; it has Run, Open, Odd/);
      expect(() => load("a.wgsl").struct("Open")).toThrow(/a\.wgsl:2: array<u32> has no fixed size/);
      expect(() => load("a.wgsl").struct("Odd")).toThrow(/a\.wgsl:3: bool is no type that the host can write/);
    });
  });
});

function placed(shader: Shader): { code: string[]; place: string[] } {
  const code = shader.code.split("\n");
  return { code, place: code.map((_, k) => shader.place(k + 1).replace(/^.*\//, "")) };
}
