import { expect, test } from "vitest";
import { randomStreams } from "../../src/core/random.js";
import { TrackLengths } from "../../src/scores/track-lengths.js";

test("counts of tracks, frame by frame, are those of sorted lengths; detections in no track count nothing", () => {
  const random = randomStreams(5).next().value;
  for (let tracks = 0; tracks < 12; tracks++) {
    const lengths = Array.from({ length: tracks }, () => 1 + Math.floor(random.uniform(0, 4)));
    const found = new TrackLengths();
    for (let frame = 0; frame < 4; frame++) {
      found.add([-1, ...lengths.flatMap((length, track) => (length > frame ? [track] : []))]);
    }
    const median = (of: readonly number[]) => of[Math.ceil(of.length / 2) - 1] ?? 0;
    const sorted = lengths.sort((a, b) => a - b);
    expect(found.counts()).toEqual({
      count: tracks,
      singles: sorted.filter((length) => length === 1).length,
      medianLength: median(sorted),
      medianLinked: median(sorted.filter((length) => length > 1)),
    });
  }
});
