import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { formatFlo, readFlo } from "../../src/formats/flo.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "flo-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const field = {
  width: 3,
  height: 2,
  u: Float32Array.of(1, -2.5, 1e10, 0, 5, 6),
  v: Float32Array.of(-0, 1e-40, 1e10, 3, 4, 5),
};

it("starts with PIEH, and what is read is written as the same bytes", () => {
  const file = join(folder, "a.flo");
  writeFileSync(file, formatFlo(field));
  const bytes = readFileSync(file);
  expect(bytes.toString("latin1", 0, 4)).toBe("PIEH");
  expect(bytes.length).toBe(12 + 8 * 6);
  expect([bytes.readFloatLE(12), bytes.readFloatLE(20)]).toEqual([1, -2.5]);
  expect(readFlo(file)).toEqual(field);
  expect(Buffer.compare(Buffer.from(formatFlo(readFlo(file))), bytes)).toBe(0);
});

it.each([
  ["another file", Buffer.from("P5 1 1 255\n1234"), /does not start with "PIEH"/],
  ["a cut file", Buffer.from(formatFlo(field)).subarray(0, 40), /holds 40 bytes where 3 × 2 pixels make 60/],
  [
    "a field without pixels",
    Buffer.from(formatFlo({ ...field, width: 0, u: field.u.subarray(6) })),
    /has a size of 0 × 2/,
  ],
  [
    "a NaN",
    Buffer.from(formatFlo({ ...field, u: field.u.map((x) => (x === 5 ? Number.NaN : x)) })),
    /not a number at x 1, y 1/,
  ],
])("refuses %s", (_, bytes, message) => {
  const file = join(folder, "bad.flo");
  writeFileSync(file, bytes);
  expect(() => readFlo(file)).toThrow(message);
});
