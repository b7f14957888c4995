import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { PairMap } from "../../src/core/pair-map.js";

describe("PairMap", () => {
  test("keeps pairs apart that one key e · edges + f would merge, from 94.9 million edges on", () => {
    const edges = 94_906_267;
    const e = edges - 2;
    // What f64 makes of the keys of two different pairs.
    const merged = (f: number) => e * edges + f === e * edges + f + 1;
    const f = merged(7) ? 7 : 8;
    expect(merged(f)).toBe(true);
    const sums = new PairMap<number>();
    sums.set(e, f, 1);
    sums.set(e, f + 1, 2);
    expect([sums.get(e, f), sums.get(e, f + 1), sums.get(f, e)]).toEqual([1, 2, undefined]);
    expect([...sums.entries()]).toEqual([
      [e, f, 1],
      [e, f + 1, 2],
    ]);
  });

  test("forgets pairs, also the one that is being visited, and rows that are empty", () => {
    const map = new PairMap<string>();
    for (const [a, b] of [
      [1, 1],
      [1, 2],
      [2, 1],
    ])
      map.set(a, b, `${a}.${b}`);
    for (const [a, b] of map.entries()) if (b === 1) map.delete(a, b);
    expect([...map.entries()]).toEqual([[1, 2, "1.2"]]);
    expect([...map.row(1)]).toEqual([[2, "1.2"]]);
    map.row(2).set(3, "2.3");
    expect([map.get(2, 1), map.get(2, 3)]).toEqual([undefined, "2.3"]);
    map.clear();
    expect(map.get(1, 2)).toBeUndefined();
  });

  test("is what the certificate and the exact solve use: no key of two edges or detections is one number", () => {
    const root = fileURLToPath(new URL("../../src/map/", import.meta.url));
    const merged: string[] = [];
    for (const folder of ["certificate", "exact"]) {
      for (const name of readdirSync(`${root}${folder}`)) {
        const lines = readFileSync(`${root}${folder}/${name}`, "utf8").split("\n");
        lines.forEach((line, n) => {
          if (/(\b[efij]|\]) \* (graph\.)?(edges|detections) \+/.test(line)) merged.push(`${folder}/${name}:${n + 1}`);
        });
      }
    }
    expect(merged).toEqual([]);
  });
});
