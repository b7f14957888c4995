/**
 * Table 1 of Romera et al. 2023 with its counted columns: operations and accesses of a pixel in 10 iterations at 2048², counted from the kernels, and what the times of the
 * rows make of them.
 *
 *     node lab/flow/counts.mjs [lab/notes/flow.md]
 *
 * An access is one of a pair of numbers as a format stores it, 8 or 4 bytes, of a buffer or of workgroup memory, whether a cache has it or not, as the paper counts. An operation is
 * one of f32 or f16; a quotient, a root, a minimum count 1, loads, conversions and indices 0.
 */
import { putTable } from "../docs-table.mjs";
import { rowsOf } from "../rows.mjs";

const ITERATIONS = 10;
/** As in the rows of part `table`: iterations of a dispatch, and shapes. */
const DEPTH = 5;
const FUSED = [32, 16];
const STRIP = { "global-pipeline": 16, "shared-pipeline": 32 };
const WINDOW = 128;
const TILE = { block: [1, 2], workgroup: [32, 16] };

/** Operations of the half stencils: |∇I1|² 3, ρ 4, its quotient 1, clamp 2, div p 6, u 8; ∇u 4, |∇u| 8, scale 6, p 12. Formats of 16 bits add the slopes of u⁰. */
const PRIMAL = 24;
const DUAL = { f32: 30, f16s: 34, f16: 34 };

/** Accesses of one pixel: r is half a pair in f32 and one word, half of it empty, in 16 bits; u⁰ of a pixel and two neighbours is read in 16 bits only. */
function accesses(precision) {
  const residual = precision === "f32" ? 0.5 : 1;
  const base = precision === "f32" ? 0 : 3;
  return { residual, base, primal: 1 + 2 + 1 + 1 + 1 + residual + 1, dual: 3 + base + 2 + 2 };
}

/** What repeats the work of a pixel in halos: of the first half stencil, of the second. */
const SCHEMES = {
  global: (precision) => {
    const { primal, dual } = accesses(precision);
    return { primal: 1, dual: 1, accesses: ITERATIONS * (primal + dual) };
  },
  fused: (precision) => {
    const [x, y] = FUSED;
    const halo = (x * y) / ((x - 1) * (y - 1));
    const { primal, base } = accesses(precision);
    // Of the second: u of three pixels in workgroup memory, u and p to the buffers; p of the pixel is in registers.
    return { primal: halo, dual: 1, accesses: ITERATIONS * (primal * halo + 3 + base + 1 + 2) };
  },
  "global-pipeline": (precision) => {
    const halo = (STRIP["global-pipeline"] + 2 * DEPTH) / STRIP["global-pipeline"];
    const { primal, dual } = accesses(precision);
    // u and p are copied once a dispatch, and back.
    const copies = (ITERATIONS / DEPTH) * (6 * halo + 6);
    return { primal: halo, dual: halo, accesses: copies + ITERATIONS * halo * (primal + dual) };
  },
  "shared-pipeline": (precision) => {
    const rows = STRIP["shared-pipeline"];
    const halo = ((rows + 2 * DEPTH) / rows) * (WINDOW / (WINDOW - 2 * DEPTH));
    const { primal, dual, residual } = accesses(precision);
    const copies = (ITERATIONS / DEPTH) * (2 * (1 + 2 + 1 + residual) * halo + 6);
    return { primal: halo, dual: halo, accesses: copies + ITERATIONS * halo * (primal + dual) };
  },
  tiled: (precision) => {
    const [columns, rows] = TILE.block;
    const [width, height] = [columns * TILE.workgroup[0], rows * TILE.workgroup[1]];
    const halo = (width * height) / ((width - 2 * DEPTH) * (height - 2 * DEPTH));
    const { residual, base } = accesses(precision);
    // The edges of a block to workgroup memory, and those beside it from there: u of a column and a row, p of a column and a row.
    const edges = (4 * (columns + rows)) / (columns * rows);
    const copies = (ITERATIONS / DEPTH) * ((1 + 2 + 1 + residual + base) * halo + 3);
    return { primal: halo, dual: halo, accesses: copies + ITERATIONS * halo * edges };
  },
};

/** The paper's, on an AGX Xavier: operations, accesses, operations a byte, ns a pixel, GFLOP/s, GiB/s; in F32 and F16. */
const PAPER = {
  global: ["640, 181, 0.44, 8.17, 78, 165", "508, 181, 0.70, 4.36, 117, 155"],
  fused: ["640, 251, 0.32, 8.13, 79, 230", "488, 261, 0.47, 4.31, 113, 226"],
  "global-pipeline": ["640, 181, 0.44, 6.65, 96, 203", "508, 181, 0.70, 4.02, 126, 168"],
  "shared-pipeline": ["660, 219, 0.38, 5.10, 129, 320", "553, 219, 0.63, 2.86, 193, 285"],
};

const rows = rowsOf("lab/results/flow-speed.jsonl").filter(({ part }) => part === "table");
const lines = [];
for (const precision of ["f32", "f16s", "f16"]) {
  for (const [scheme, count] of Object.entries(SCHEMES)) {
    const row = rows.findLast((one) => one.scheme.split(" ")[0] === scheme && one.precision === precision);
    const { primal, dual, accesses: pairs } = count(precision);
    const operations = ITERATIONS * (PRIMAL * primal + DUAL[precision] * dual);
    const bytes = pairs * (precision === "f32" ? 8 : 4);
    const time = row.nanosecondsPerPixel;
    const theirs = PAPER[scheme]?.[precision === "f32" ? 0 : 1];
    const cells = [
      `\`${scheme}\`, ${precision}`,
      operations.toFixed(0),
      pairs.toFixed(0),
      (operations / bytes).toFixed(2),
      time.toFixed(3),
      (operations / time).toFixed(0),
      (bytes / time).toFixed(0),
      precision === "f16s" ? "–" : (theirs ?? "–"),
    ];
    lines.push(`| ${cells.join(" | ")} |\n`);
  }
}
const head =
  "| scheme | operations a pixel | accesses a pixel | operations a byte | ns a pixel | GFLOP/s | GB/s | theirs, AGX Xavier |\n|---|---|---|---|---|---|---|---|\n";
const table = head + lines.join("");
const [page] = process.argv.slice(2);
if (page === undefined) console.log(table);
else putTable(page, "flow counts", table);
