/**
 * WGSL of a thread's work on its block of columns × rows pixels in scheme tiled, without loops over them: an array of pixels with computed
 * indices would lie in memory and not in registers. Fills in `#import block` of tiled.wgsl.
 */
export function tiledBlock(columns: number, rows: number): string {
  const each = (line: (column: number, row: number) => string) =>
    Array.from({ length: columns * rows }, (_, k) => line(k % columns, Math.floor(k / columns)));
  const some = (count: number, line: (k: number) => string) => Array.from({ length: count }, (_, k) => line(k));
  const [right, bottom] = [columns - 1, rows - 1];
  const name = (column: number, row: number) => `c${column}${row}`;
  /** A thread's places for row r, and for column c, in workgroup memory. */
  const ofRow = (row: number) => `l + ${row}u * X`;
  const ofColumn = (column: number) => `t + ${column}u * X * Y`;
  const leaveDual = [
    ...some(rows, (r) => `rightP[${ofRow(r)}] = sideAlongX(${name(right, r)}.dual);`),
    ...some(columns, (c) => `lowerP[${ofColumn(c)}] = sideAlongY(${name(c, bottom)}.dual);`),
  ];
  const lines = [
    ...some(columns, (c) => `let h${c} = has(x + ${c}u, run.width, column + ${c}u, COLUMNS * X);`),
    ...some(rows, (r) => `let v${r} = has(y + ${r}u, run.height, row + ${r}u, ROWS * Y);`),
    ...each((c, r) => `var ${name(c, r)} = cellAt(x + ${c}u, y + ${r}u, group.z);`),
    ...leaveDual,
    "workgroupBarrier();",
    "for (var k = 0u; k < run.iterations; k++) {",
    ...each((c, r) => {
      const left = c > 0 ? `dualAlongX(${name(c - 1, r)}.dual)` : `ofSide(rightP[${ofRow(r)} - 1u])`;
      const above = r > 0 ? `dualAlongY(${name(c, r - 1)}.dual)` : `ofSide(lowerP[${ofColumn(c)} - X])`;
      return `${name(c, r)}.u = stepped(${name(c, r)}, other(${left}, h${c}.before), other(${above}, v${r}.before));`;
    }),
    ...some(rows, (r) => `leftU[${ofRow(r)}] = toPair(${name(0, r)}.u);`),
    ...some(columns, (c) => `upperU[${ofColumn(c)}] = toPair(${name(c, 0)}.u);`),
    "workgroupBarrier();",
    ...each((c, r) => {
      const beside = c < right ? `${name(c + 1, r)}.u` : `ofPair(leftU[${ofRow(r)} + 1u])`;
      const below = r < bottom ? `${name(c, r + 1)}.u` : `ofPair(upperU[${ofColumn(c)} + X])`;
      return `${name(c, r)}.dual = turned(${name(c, r)}, ${beside}, h${c}.after, ${below}, v${r}.after);`;
    }),
    ...leaveDual,
    "workgroupBarrier();",
    "}",
    ...each((c, r) => `keep(${name(c, r)}, column + ${c}u, row + ${r}u, x + ${c}u, y + ${r}u, group.z);`),
  ];
  return lines.map((line) => `  ${line}`).join("\n");
}
