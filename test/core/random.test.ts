import { expect, test } from "vitest";
import { NormalStream, randomStreams } from "../../src/core/random.js";

test("normals in bulk are those of normal(), however they are cut, passed over and handed on", () => {
  const source = randomStreams(7).next().value;
  const bulk = source.normals();
  const expected = Float64Array.from({ length: 40 }, () => source.normal());
  const drawn = new Float64Array(40);
  bulk.fill(drawn, 0, 7);
  const other = new NormalStream(bulk.state);
  bulk.fill(drawn, 7, 40);
  expect(drawn).toEqual(expected);
  for (const count of [0, 1, 2, 5, 8]) {
    const ahead = new NormalStream(other.state);
    ahead.skip(count);
    const rest = new Float64Array(33 - count);
    ahead.fill(rest);
    expect(rest).toEqual(expected.subarray(7 + count));
  }
});
