import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { inOrder } from "../../src/core/in-order.js";

describe("inOrder", () => {
  /** Items 0 to count − 1, and then the error. */
  async function* items(count: number, error?: Error) {
    for (let n = 0; n < count; n++) yield n;
    if (error !== undefined) throw error;
  }
  const collect = async (from: AsyncIterable<number>, ahead: number, work: (n: number) => Promise<number>) => {
    const seen: [number, number][] = [];
    try {
      for await (const pair of inOrder(from, ahead, work)) seen.push(pair);
    } catch (error) {
      return { seen, error };
    }
    return { seen };
  };
  const squares = (count: number) => Array.from({ length: count }, (_, n) => [n, n * n]);

  test.each([1, 2, 3, 10])("keeps the order of what ends in another, with at most %d at a time", async (ahead) => {
    let [now, most] = [0, 0];
    const work = async (n: number) => {
      most = Math.max(most, ++now);
      await setTimeout(n % 2 === 0 ? 4 : 1);
      now--;
      return n * n;
    };
    expect(await collect(items(6), ahead, work)).toEqual({ seen: squares(6) });
    expect(most).toBe(Math.min(ahead, 6));
  });

  test("an item that cannot be had comes after those before it", async () => {
    const error = new Error("no more");
    expect(await collect(items(3, error), 5, async (n) => n * n)).toEqual({ seen: squares(3), error });
  });

  test("work that fails ends it at its turn, and the source is closed", async () => {
    const error = new Error("bad item");
    let isClosed = false;
    const source = async function* () {
      try {
        yield* items(9);
      } finally {
        isClosed = true;
      }
    };
    const work = async (n: number) => {
      if (n >= 2) throw error;
      await setTimeout(3);
      return n * n;
    };
    expect(await collect(source(), 4, work)).toEqual({ seen: squares(2), error });
    expect(isClosed).toBe(true);
  });
});
