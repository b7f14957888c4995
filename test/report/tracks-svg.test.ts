import { describe, expect, it } from "vitest";
import { colourTracks, timePalette } from "../../src/report/track-colours.js";
import type { TrackPicture } from "../../src/report/track-picture.js";
import { tracksSvg } from "../../src/report/tracks-svg.js";

const wrongRed = "#d6111e";

/** Two targets side by side over three frames; the tracks swap them after the second. */
function swapped(): TrackPicture {
  return {
    title: "swap",
    frameStart: Uint32Array.of(0, 2, 4, 6),
    x: Float64Array.of(0, 0, 1, 1, 2, 2),
    y: Float64Array.of(0, 1, 0, 1, 0, 1),
    track: Int32Array.of(0, 1, 0, 1, 1, 0),
    target: Int32Array.of(7, 8, 7, 8, 7, 8),
    unit: "m",
  };
}

/** Path data of the strokes in `colour`, the legend's samples left out. */
function strokes(svg: string, colour: string): string[] {
  return [...svg.matchAll(/<path d="([^"]*)" stroke="([^"]*)"/g)]
    .filter(([, data, stroke]) => stroke === colour && data !== "M-12 0h24")
    .map(([, data]) => data);
}

describe("tracksSvg", () => {
  it("marks wrong and missed links apart, and only where truth is known", () => {
    const svg = tracksSvg(swapped());
    expect(strokes(svg, wrongRed).join("").match(/M/g)).toHaveLength(2);
    expect(svg).toContain("wrong link (2)");
    expect(svg).toContain("true link not found (2)");
    const blind = tracksSvg({ ...swapped(), target: null });
    expect(blind).not.toContain(wrongRed);
    expect(blind).not.toContain("wrong link");
  });

  it("has equal aspect: a step of 1 is as long in x as in y", () => {
    const diagonal = strokes(
      tracksSvg({ ...swapped(), track: Int32Array.of(0, -1, -1, 0, -1, -1), target: null }),
      "#4e79a7",
    ).join("");
    const [right, up] = /l(-?\d+) ?(-?\d+)/.exec(diagonal)?.slice(1).map(Number) ?? [];
    expect(right).toBeGreaterThan(0);
    expect(Math.abs(right + up)).toBeLessThanOrEqual(1);
  });

  it("names axes, escapes the title and holds no script", () => {
    const svg = tracksSvg({ ...swapped(), title: 'a < b & "c"\u0007\nsecond line' });
    expect(svg).toContain("a &lt; b &amp;");
    expect(svg).toContain("second line");
    expect(svg).toContain("x (m)");
    expect(svg).not.toContain("\u0007");
    expect(svg).not.toMatch(/<script|href=/);
  });

  it("draws frames against indices where there are no positions", () => {
    const svg = tracksSvg({ ...swapped(), x: null, y: null });
    expect(svg).toContain(">frame</text>");
    expect(svg).toContain("detection in the frame");
  });

  it("draws one point, nothing at all and huge coordinates without NaN", () => {
    const none = { frameStart: Uint32Array.of(0, 0, 0), track: new Int32Array(0), target: null };
    const one = { frameStart: Uint32Array.of(0, 1, 1), track: Int32Array.of(0), target: Int32Array.of(-1) };
    const pictures: TrackPicture[] = [
      { title: "none", ...none, x: new Float64Array(0), y: new Float64Array(0) },
      { title: "none", ...none, x: null, y: null },
      { title: "one", ...one, x: Float64Array.of(9e14), y: Float64Array.of(-9e14) },
      { ...swapped(), x: Float64Array.of(-9e14, 9e14, 0, 1, 2, 3) },
    ];
    for (const picture of pictures) expect(tracksSvg(picture)).not.toMatch(/NaN|Infinity|undefined/);
  });

  it("dashes links over missed frames, and draws singles pale, each with its own dot", () => {
    const svg = tracksSvg({
      ...swapped(),
      frameStart: Uint32Array.of(0, 2, 2, 5, 6),
      track: Int32Array.of(0, 1, 0, 2, 3, -1),
      target: null,
    });
    expect(svg).toContain("link over missed frames (1)");
    expect(svg).toContain("single detection (3)");
    const dashed = [...svg.matchAll(/<path d="(M\d[^"]*)" stroke="#4e79a7"[^>]*stroke-dasharray/g)];
    expect(dashed).toHaveLength(1);
    expect(dashed[0][1].match(/M/g)).toHaveLength(1);
    const pale = /<path d="([^"]*)" marker-start="url\(#d\)" marker-mid="url\(#d\)" marker-end="url\(#d\)"/.exec(svg);
    expect(pale?.[1].match(/M/g)).toHaveLength(4);
    expect(svg).not.toMatch(/stroke="#ee8a22" stroke-width="\d+" fill="#fff"/);
  });

  it("dashes nothing but links over missed frames", () => {
    const gap = { ...swapped(), frameStart: Uint32Array.of(0, 2, 2, 4, 6) };
    expect(tracksSvg(gap)).toMatch(/link over missed frames \(2\).*stroke-dasharray/s);
    expect(tracksSvg(swapped())).toContain("true link not found (2)");
    expect(tracksSvg(swapped())).not.toContain("dasharray");
  });

  it("joins mothers and daughters", () => {
    const track = Int32Array.of(0, 9, 1, 2, 1, 2);
    const svg = tracksSvg({
      ...swapped(),
      track,
      target: null,
      parents: new Map([
        [1, 0],
        [2, 0],
      ]),
    });
    expect(svg).toContain("mother and daughter (2)");
    expect(strokes(svg, "#7a8088").join("").match(/M/g)).toHaveLength(2);
    expect(tracksSvg({ ...swapped(), track, target: null })).not.toContain("daughter");
  });

  it("lets y grow downwards where positions are pixels", () => {
    const stepDown = (unit: string) => {
      const y = Float64Array.of(0, 9, 1, 9, 2, 9);
      const svg = tracksSvg({ ...swapped(), track: Int32Array.of(0, -1, 0, -1, 0, -1), target: null, y, unit });
      return Number(/l-?\d+[ ]?(-?\d+)/.exec(strokes(svg, "#4e79a7").join(""))?.[1]);
    };
    expect(stepDown("px")).toBeGreaterThan(0);
    expect(stepDown("pixels")).toBeGreaterThan(0);
    expect(stepDown("m")).toBeLessThan(0);
  });

  it("has colours for dark pages, and texts of the legend do not touch", () => {
    const svg = tracksSvg(swapped());
    expect(svg).toMatch(/<style>@media \(prefers-color-scheme: dark\) \{[^<]*\.paper \{ fill: #16191d \}/);
    const texts = [...svg.matchAll(/<text x="(\d+)" y="(\d+)" font-size="12.5"[^>]*>([^<]*)</g)].map(
      ([, x, y, text]) => ({ left: Number(x), row: Number(y), text }),
    );
    expect(texts.length).toBeGreaterThan(3);
    for (const [n, { left, row, text }] of texts.entries()) {
      const next = texts[n + 1];
      // DejaVu Sans, which is wide, takes 0.55 em in the mean.
      if (next?.row === row) expect(next.left - 34).toBeGreaterThan(left + 0.55 * 12.5 * text.length);
    }
  });

  it("shows a tangle by colours of time in thin lines, and says so", () => {
    const [targets, frames] = [600, 20];
    const count = targets * frames;
    const at = (d: number) => [d % targets, Math.floor(d / targets)];
    const x = Float64Array.from(
      { length: count },
      (_, d) => 100 * Math.cos(at(d)[0]) + 9 * Math.sin(at(d)[0] + at(d)[1] / 3),
    );
    const crowd: TrackPicture = {
      title: "crowd",
      frameStart: Uint32Array.from({ length: frames + 1 }, (_, p) => p * targets),
      x,
      y: Float64Array.from(
        { length: count },
        (_, d) => 70 * Math.sin(2 * at(d)[0]) + 9 * Math.cos(at(d)[0] + at(d)[1] / 3),
      ),
      track: Int32Array.from({ length: count }, (_, d) => at(d)[0]),
      target: null,
      numbers: { first: 100, step: 10 },
    };
    const svg = tracksSvg(crowd);
    expect(svg).toContain("tracks from frame 100 to frame 290");
    expect(svg).not.toContain("start of a track");
    const drawn = timePalette.map((colour) => strokes(svg, colour).filter((data) => data.includes("l")).length);
    expect(drawn).toEqual(timePalette.map(() => 1));
    const few = { ...crowd, track: crowd.track.map((t) => (t < 30 ? t : -1)) };
    expect(tracksSvg(few)).toContain("start of a track");
  });

  it("gives tracks near each other different colours", () => {
    // Twenty bundles of eight parallel tracks each, far apart: numbers as they come would repeat within a bundle.
    const frames = 5;
    const [bundles, each] = [20, 8];
    const lines = Array.from({ length: bundles * each }, (_, t) =>
      Array.from({ length: frames }, (_, p) => t * frames + p),
    );
    const x = Float64Array.from({ length: bundles * each * frames }, (_, d) => d % frames);
    const y = Float64Array.from(x, (_, d) => {
      const t = Math.floor(d / frames);
      return 50 * (t % bundles) + 0.5 * Math.floor(t / bundles);
    });
    const colours = colourTracks(lines, x, y);
    for (let b = 0; b < bundles; b++) {
      expect(new Set(Array.from({ length: each }, (_, n) => colours[b + n * bundles])).size).toBe(each);
    }
  });

  it("stays small at 300 targets in 300 frames: 1 MB, or 2.5 MB where every link is wrong and goes across", () => {
    const [targets, frames] = [300, 300];
    const count = targets * frames;
    const frameStart = Uint32Array.from({ length: frames + 1 }, (_, p) => p * targets);
    const x = Float64Array.from({ length: count }, (_, d) => Math.cos(d % targets) * (100 + d / targets));
    const y = Float64Array.from({ length: count }, (_, d) => Math.sin(d % targets) * (100 + d / targets));
    const target = Int32Array.from({ length: count }, (_, d) => d % targets);
    const track = Int32Array.from({ length: count }, (_, d) => (d + Math.floor(d / targets)) % targets);
    const right = tracksSvg({ title: "right", frameStart, x, y, track: target, target });
    expect(right.length).toBeLessThan(1e6);
    expect(tracksSvg({ title: "wrong", frameStart, x, y, track, target }).length).toBeLessThan(2.5e6);
  });
});
