/**
 * The part of scale-space.wgsl that is made at run time: row and column sums of a step's blurs with radii and taps as constants, every loop
 * written out, so that a thread holds four pixels of a row, then `depth` rows of four columns, in registers.
 */
import { invariant } from "../../../core/errors.js";

/** Tiles of a blur: 32 pixels wide. */
export interface BlurShape {
  /** Rows of a tile, a multiple of `depth`. */
  readonly height: number;
  /** Rows of four columns a thread sums, even. */
  readonly depth: number;
}

/** Input of a blur: a Gaussian of the scale space, the image, or the image doubled by bilinear values. */
export type BlurSource = "pyramid" | "image" | "doubled";

/** vec4 columns of a tile. */
const TILE_COLUMNS = 8;

/** `blurs` holds the taps, 2 r + 1 each, of the one or two blurs of a step. */
export function blurText(blurs: readonly Float32Array[], source: BlurSource, shape: BlurShape): string {
  invariant(
    shape.depth % 2 === 0 && shape.height % shape.depth === 0,
    () => "a tile's rows are no multiple of its depth",
  );
  const tall = blurs.map((taps) => tallOf((taps.length - 1) / 2, source, shape.height));
  const either = (of: (b: number) => string) =>
    blurs.length === 1 ? of(0) : `if (which == 0) { ${of(0)} } else { ${of(1)} }`;
  return [
    `const THREADS: u32 = ${(TILE_COLUMNS * shape.height) / shape.depth};`,
    `const TILE_COLUMNS: u32 = ${TILE_COLUMNS};`,
    `const TILE_HEIGHT: u32 = ${shape.height};`,
    `const DEPTH: u32 = ${shape.depth};`,
    `fn firstRow(first: u32) -> u32 { return ${source === "doubled" ? "first / 2" : "first"}; }`,
    `const STORED: u32 = ${TILE_COLUMNS * Math.max(...tall)};`,
    `fn tall(which: u32) -> u32 { ${either((b) => `return ${tall[b]}u;`)} }`,
    "fn makeRow(job: Job, which: u32, r: u32, top: u32, column: u32) -> vec4f {",
    // Every path returns in both branches.
    blurs.length === 1
      ? "  return makeRow0(job, r, top, column);"
      : "  if (which == 0) { return makeRow0(job, r, top, column); }\n  return makeRow1(job, r, top, column);",
    "}",
    "fn sumColumns(job: Job, which: u32, at: u32, column: u32, y: u32) {",
    `  ${either((b) => `sumColumns${b}(job, at, column, y);`)}`,
    "}",
    ...blurs.flatMap((taps, b) => [rowText(taps, source, b), columnText(taps, source, shape, b)]),
  ].join("\n");
}

/** Rows that a tile's column sums read; of the doubled image those of the image itself, half as many. */
function tallOf(radius: number, source: BlurSource, height: number): number {
  return source === "doubled" ? ((height + radius) >> 1) + Math.ceil(radius / 2) + 1 : height + 2 * radius;
}

const number = (value: number) => `${String(Math.fround(value)).replace(/^(\d+)$/, "$1.0")}f`;

/** Four pixels of a row: the sum of taps times the pixels around them. */
function rowText(taps: Float32Array, source: BlurSource, b: number): string {
  const radius = (taps.length - 1) / 2;
  const { lines, pixel } = source === "pyramid" ? fromPyramid(radius) : fromImage(radius, source);
  const above = source === "doubled" ? Math.ceil(radius / 2) : radius;
  const rows = source === "doubled" ? "job.height / 2" : "job.height";
  const start = source === "doubled" ? "top / 2" : "top";
  const terms = Array.from(
    taps,
    (tap, k) => `${number(tap)} * vec4f(${[0, 1, 2, 3].map((j) => pixel(j + k - radius)).join(", ")})`,
  );
  return [
    `fn makeRow${b}(job: Job, r: u32, top: u32, column: u32) -> vec4f {`,
    `  let y = u32(clamp(i32(${start} + r) - ${above}, 0, i32(${rows}) - 1));`,
    ...lines,
    `  var sum = ${terms[0]};`,
    ...terms.slice(1).map((term) => `  sum += ${term};`),
    "  return sum;",
    "}",
  ].join("\n");
}

function fromPyramid(radius: number) {
  const reach = Math.ceil(radius / 4);
  const all = Array.from({ length: 2 * reach + 1 }, (_, k) => k - reach);
  const name = (c: number) => `v${c + reach}`;
  const lines = [
    "  let pitch = (job.width + 3) / 4;",
    "  let last = i32(pitch) - 1;",
    "  let row = job.source + y * pitch;",
    "  let c = i32(column);",
    ...all.map((c) => `  var ${name(c)}: vec4f;`),
    `  if (c >= ${reach} && c + ${reach} <= last) {`,
    ...all.map((c) => `    ${name(c)} = gaussians(row + u32(c + ${c}));`),
    "  } else {",
    ...all.map((c) => `    ${name(c)} = bordered(row, c + ${c}, last);`),
    "  }",
  ];
  const pixel = (k: number) => `${name(Math.floor(k / 4))}.${"xyzw"[((k % 4) + 4) % 4]}`;
  return { lines, pixel };
}

function fromImage(radius: number, source: "image" | "doubled") {
  const doubled = source === "doubled";
  const [from, to] = doubled ? [Math.floor(-radius / 2), Math.floor((radius + 4) / 2)] : [-radius, radius + 3];
  const all = Array.from({ length: to - from + 1 }, (_, k) => k + from);
  const width = doubled ? "job.width / 2" : "job.width";
  const name = (c: number) => `p${c - from}`;
  const lines = [
    `  let last = i32(${width}) - 1;`,
    `  let row = y * (${width});`,
    `  let c = i32(column) * ${doubled ? 2 : 4};`,
    ...all.map((c) => `  let ${name(c)} = image[row + u32(clamp(c + ${c}, 0, last))] - OFFSET;`),
  ];
  const between = (k: number) => `0.5f * (${name(Math.floor(k / 2))} + ${name(Math.floor(k / 2) + 1)})`;
  return { lines, pixel: (k: number) => (doubled ? (k % 2 === 0 ? name(k / 2) : between(k)) : name(k)) };
}

/** `depth` rows of four columns, stored at once. `at`: the first of the rows in workgroup memory that they need. */
function columnText(taps: Float32Array, source: BlurSource, { depth }: BlurShape, b: number): string {
  const radius = (taps.length - 1) / 2;
  const lines: string[] = [];
  const above = Math.ceil(radius / 2);
  let read = -1;
  const rowAt = (index: number) => {
    for (; read < index; read++) lines.push(`  let r${read + 1} = rows[at + ${(read + 1) * TILE_COLUMNS}];`);
    return `r${index}`;
  };
  const begun = new Set<number>();
  for (let i = 0; i < depth + 2 * radius; i++) {
    if (source === "doubled") {
      const [up, down] = [Math.floor((i - radius) / 2) + above, Math.floor((i - radius + 1) / 2) + above];
      const [one, other] = [rowAt(up), rowAt(down)];
      lines.push(up === down ? `  let d${i} = ${one};` : `  let d${i} = 0.5f * (${one} + ${other});`);
    } else lines.push(`  let d${i} = ${rowAt(i)};`);
    for (let n = 0; n < depth; n++) {
      const k = i - n;
      if (k < 0 || k > 2 * radius) continue;
      lines.push(begun.has(n) ? `  s${n} += ${number(taps[k])} * d${i};` : `  var s${n} = ${number(taps[k])} * d${i};`);
      begun.add(n);
    }
  }
  for (let n = 0; n < depth; n++) lines.push(`  store(job, column, y + ${n}, s${n});`);
  return [`fn sumColumns${b}(job: Job, at: u32, column: u32, y: u32) {`, ...lines, "}"].join("\n");
}
