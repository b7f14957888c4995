/** Figures of ours for items.mjs, from rows: of a kind the last row. Each figure is a text, with the device's name where one was timed. */
import { rowsOf } from "../rows.mjs";

const files = new Map();
const rows = (/** @type {string} */ file) => {
  if (!files.has(file)) files.set(file, rowsOf(file));
  return files.get(file);
};

/** The last row of a file that has these values. @returns {any} */
function last(file, wanted) {
  const found = rows(file).findLast((row) => Object.entries(wanted).every(([key, value]) => row[key] === value));
  if (found === undefined) throw new Error(`${file}: has no row with ${JSON.stringify(wanted)}`);
  return found;
}

const digits = (value, count = 3) => String(Number(value.toPrecision(count)));
/** "H100" of "NVIDIA H100 80GB HBM3". */
const card = (row) => row.device.actual?.split(" ")[1] ?? row.device.name?.split(" ")[1] ?? row.device.split(" ")[1];
const geometricMean = (numbers) => Math.exp(numbers.reduce((sum, one) => sum + Math.log(one), 0) / numbers.length);

/** Share of the X-LAPs and of the distribution in the naive engine. */
export function stepShares() {
  const of = rows("results/sweeps/fig2-naive-gpu.jsonl");
  const shares = of.map(({ stepSeconds: { naive } }) => {
    const all = Object.values(naive).reduce((sum, one) => sum + one, 0);
    return (100 * (naive.xLap + naive.distribution)) / all;
  });
  return `X-LAPs and distribution ${shares.map((share) => share.toFixed(0)).join(", ")} % of the naive engine at ${of.map(({ n, t }) => `[${n}, ${t}]`).join(", ")}; ${card(of[0])}`;
}

/** Mean MMEP of each size with the gate and without. */
export function gating() {
  const of = rows("results/sweeps/fig5-sizes.jsonl");
  const sizes = new Map();
  for (const { sweep, scores } of of) {
    const key = `[${sweep.values["simulation.targets"]}, ${sweep.values["simulation.frames"]}]`;
    const kind = sweep.values.gate === "none" ? "open" : "gated";
    if (!sizes.has(key)) sizes.set(key, { open: [], gated: [] });
    sizes.get(key)[kind].push(scores.mmep);
  }
  const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
  const apart = [...sizes].filter(([, { open, gated }]) => Math.abs(mean(open) - mean(gated)) > 1e-9);
  const shown = apart.map(
    ([size, { open, gated }]) =>
      `; at ${size} MMEP ${mean(gated).toFixed(2)} % with the gate, ${mean(open).toFixed(2)} without`,
  );
  return `equal at ${sizes.size - apart.length} of ${sizes.size} sizes${shown.join("")}`;
}

/** Geometric means over the sizes of the last run of each. */
export function speedups() {
  const of = (file, benchmark, laps) => {
    const those = rows(file).filter((row) => row.benchmark === benchmark && row.laps === laps);
    const bySize = new Map(those.map((row) => [row.n, row.ratio]));
    return Math.round(geometricMean([...bySize.values()])).toLocaleString("en");
  };
  const shown = ["results/naive-h200.jsonl", "results/naive-gpu.jsonl"].map((file) => {
    const [together, distribution, solve] = [of(file, "lap", "together"), of(file, "distribution"), of(file, "solve")];
    return `${together}, ${distribution} and ${solve}; ${card(rows(file).at(-1))}`;
  });
  return `${shown.join(". ")}, where LAPs one by one give ${of("results/naive-gpu.jsonl", "lap", "one-by-one")}`;
}

/** Objects in error of the simulated sets as `rmap track` follows them by default, and how many runs of clean ones, with other gates too, had any. */
export function sortingErrors() {
  const of = rows("lab/results/sorting-acceptance.jsonl");
  const clean = of.filter(({ kind }) => kind === "clean").flatMap(({ errors }) => Object.values(errors));
  const shown = ["clean", "missed", "jitter"].map((kind) => {
    const those = of.filter((row) => row.kind === kind);
    const sum = (number) => those.reduce((total, row) => total + number(row), 0);
    const what = { clean: "clean", missed: "2 % missed", jitter: "with a jitter of 0.1 mm" }[kind];
    return `${sum(({ errors }) => errors.default.inError)} of ${sum(({ objects }) => objects).toLocaleString("en")} ${what}`;
  });
  const wrong = clean.filter(({ inError }) => inError > 0).length;
  return `objects in error in the ${new Set(of.map(({ set }) => set)).size} simulated sets: ${shown.join(", ")}; of ${clean.length} runs of clean sets ${wrong} have any`;
}

/** Where the table of the sets was measured. */
/** Tracks and measurements of a frame. */
export function setSizes() {
  const of = rows("lab/results/auction-gpu.jsonl").filter(
    ({ tiles, crowd, border }) => tiles === 1 && crowd === 1 && !border,
  );
  const sizes = new Map(
    of.map(({ set, persons, objects }) => [set, `${Math.round(persons)} × ${Math.round(objects)}`]),
  );
  const shown = [...sizes].map(([set, size]) => `${set} ${size}`);
  return `tracks × measurements a frame: ${shown.join(", ")}; the recorded sets are stand-ins`;
}

export function sets() {
  return `the table below; ${card(rows("lab/results/auction-gpu.jsonl").at(-1))} and WebGPU`;
}

/** Of the videos with known paths, rmap beside OpenCV. */
export function follow() {
  const of = (what) => last("lab/results/follow.jsonl", { what, light: "changes" });
  const [rmap, opencv] = [of("rmap follow"), of("OpenCV")];
  return `made videos of ${rmap.frames} images with known paths, false points ${rmap.falsePercent.toFixed(1)} %, OpenCV's ${opencv.falsePercent.toFixed(1)} %: lab/notes/features.md`;
}

const THESIS = "lab/results/features-thesis.jsonl";
const thesis = (figure, what, size = null) => last(THESIS, { figure, what, size });

export function bandwidth() {
  const [up, down, memory] = ["upload", "readback", "device memory, read and written"].map((what) =>
    thesis("table 4.3", what),
  );
  return `up ${digits(up.gigabytesPerSecond, 2)} and down ${digits(down.gigabytesPerSecond, 2)} GB/s, the device's memory ${memory.gigabytesPerSecond.toFixed(0)} GB/s; ${card(up)}`;
}

export function suppression() {
  const [device, host] = ["suppression on the device", "whole response read back, suppression on the host"].map(
    (what) => thesis("5.2", what, "1024x768"),
  );
  const { kernels, ...measured } = last("lab/results/kernel-times.jsonl", { what: "corners", size: "1024x768" });
  const parts = Object.entries(kernels).map(([kernel, milliseconds]) => `\`${kernel}\` ${digits(milliseconds)}`);
  return `suppression on the device ${device.wallMilliseconds.toFixed(1)} ms end to end at 1024 × 768, of which the device ${digits(device.deviceMilliseconds)}, on the host ${host.wallMilliseconds.toFixed(1)}; ${card(device)}. The device's parts: ${parts.join(", ")} ms; ${card(measured)}`;
}

export function harris() {
  const row = thesis("5.3", "harris", "1024x768");
  return `${digits(row.deviceMilliseconds, 2)} ms on the device, ${row.wallMilliseconds.toFixed(1)} end to end at 1024 × 768, one CPU thread ${row.cpuMilliseconds.toFixed(0)}; ${card(row)}`;
}

export function klt() {
  const row = thesis("5.5", "klt there and back, 1000 asked for", "800x600");
  return `1,000 asked for at 800 × 600, there and back: ${digits(row.deviceMilliseconds)} ms on the device, ${row.wallMilliseconds.toFixed(1)} end to end; ${card(row)}`;
}

export function openvidia() {
  const extraction = thesis("table 5.1", "openvidia, extraction with 128 numbers", "1024x768");
  const whole = thesis("table 5.1", "openvidia with matching and RANSAC", "1024x768");
  return `extraction ${digits(extraction.deviceMilliseconds)}, with matching ${whole.wallMilliseconds.toFixed(1)} end to end at 1024 × 768; ${card(whole)}`;
}

/** Of each frame of the two sets of Fig. 6: matrix, one array, and one workgroup. */
export function frames() {
  const FRAMES = "lab/results/auction-frames.jsonl";
  const shown = ["pepper-2-stand-in", "spheres-2"].map((set) => {
    const of = [
      ["matrix", "host"],
      ["packed", "host"],
      ["workgroup", "submit"],
    ].map(([board, loop]) => last(FRAMES, { set, board, loop }).milliseconds);
    return `${set} ${of.map(({ median, max }) => `${digits(median, 2)} (${digits(max, 2)})`).join(", ")}`;
  });
  return `ms a frame, median and in brackets the worst of 48, of (a), (c) and (d): ${shown.join("; ")}; ${card(rows(FRAMES)[0])}`;
}

export function sift() {
  const row = thesis("5.13", "sift, doubled", "320x240");
  const { descriptors, exactSeconds } = rows("lab/results/features-choices.jsonl").findLast(
    (one) => one.benchmark === "best-bin-first" && one.descriptors[0] < 1000,
  );
  const match = rows("lab/results/features-gpu.jsonl").findLast(({ what }) => what === "match 450 x 450");
  const onGpu =
    match === undefined
      ? ""
      : `, 450 × 450 ${digits(match.milliseconds.median, 2)} ms of the device and ${digits(match.wall.median, 2)} end to end; ${card(match)}`;
  return `${digits(row.deviceMilliseconds)} ms on the device, ${row.cpuMilliseconds.toFixed(0)} ms one CPU thread of that host, doubled; ${card(row)}. Matching ${descriptors.join(" × ")} features takes ${(1000 * exactSeconds).toFixed(0)} ms of CPU time${onGpu}`;
}

const FLOW = "lab/results/flow-speed.jsonl";

/** In f32 and f16. */
export function schemes() {
  const of = rows(FLOW).filter(({ part }) => part === "table");
  const time = (scheme, precision) =>
    of
      .findLast((row) => row.scheme.split(" ")[0] === scheme && row.precision === precision)
      .nanosecondsPerPixel.toFixed(3);
  const shown = ["global", "fused", "global-pipeline", "shared-pipeline", "tiled"].map(
    (scheme) => `\`${scheme}\` ${time(scheme, "f32")} and ${time(scheme, "f16")}`,
  );
  return `f32 and f16: ${shown.join(", ")}; ${card(of.at(-1))}; the counted columns of all: lab/notes/flow.md`;
}

/** The rows of a part and format of the last device that has them. */
function lastOf(part, precision) {
  const of = rows(FLOW).filter((row) => row.part === part && row.precision === precision);
  return of.filter(({ device }) => device === of.at(-1).device);
}

/** The fastest scheme of each size and format. */
export function sizes() {
  const of = ["f32", "f16s", "f16"].flatMap((precision) => lastOf("sizes", precision));
  const fastest = fastestBy(of, ({ width, precision }) => `${width} ${precision}`);
  const tiled = fastest.filter(({ scheme }) => scheme.startsWith("tiled"));
  const widths = fastest.map(({ width }) => width);
  const [least, most] = [Math.min(...widths), Math.max(...widths)];
  const times = ["f32", "f16"].map((precision) =>
    fastest.find((row) => row.width === most && row.precision === precision).nanosecondsPerPixel.toFixed(3),
  );
  return `\`tiled\` is the fastest in ${tiled.length} of ${fastest.length} sizes and formats from ${least}² to ${most}², with ${times.join(" and ")} ns a pixel in f32 and f16 at ${most}²; ${card(of[0])}`;
}

function fastestBy(of, keyOf) {
  const fastest = new Map();
  for (const row of of) {
    const key = keyOf(row);
    if (!(fastest.get(key)?.nanosecondsPerPixel < row.nanosecondsPerPixel)) fastest.set(key, row);
  }
  return [...fastest.values()];
}

/** ns a pixel by the iterations of a dispatch: the best shape of each scheme. */
export function depths() {
  const shown = ["f32", "f16"].map((precision) => {
    const best = fastestBy(lastOf("depth", precision), ({ scheme }) => scheme.split(" ")[0]);
    const each = best.map(
      ({ scheme, nanosecondsPerPixel }) =>
        `\`${scheme.split(" ")[0]}\` with ${scheme.match(/\d+/)?.[0]} (${nanosecondsPerPixel.toFixed(3)} ns a pixel)`,
    );
    return `in ${precision} ${each.join(", ")}; ${card(best[0])}`;
  });
  return `best ${shown.join(". Best ")}`;
}

export function energy() {
  const those = rows(FLOW).filter((row) => row.part === "power" && row.coreMegahertz !== undefined);
  const of = (scheme, precision) =>
    those.findLast((row) => row.asked.scheme === scheme && row.precision === precision).nanojoulesPerPixel.toFixed(1);
  const schemes = [...new Set(those.map((row) => row.asked.scheme))];
  const shown = schemes.map((scheme) => `\`${scheme}\` ${of(scheme, "f32")} and ${of(scheme, "f16")}`);
  const { coreMegahertz, memoryMegahertz } = those[those.length - 1];
  return `nJ/px in f32 and f16: ${shown.join(", ")}; at the clocks as they are, ${coreMegahertz.toFixed(0)} and ${memoryMegahertz.toFixed(0)} MHz; ${card(those[0])}`;
}

/** By the wall clock of the last machine that was measured. */
export function processors() {
  const wall = (warps, threads) => {
    const those = rows(FLOW).filter((row) => row.part === "twin" && row.warps === warps);
    return those.findLast((row) =>
      threads === null ? row.scheme === "global" : row.scheme === "simd" && row.threads === threads,
    ).wall.median;
  };
  const faster = (warps, threads) => (wall(warps, null) / wall(warps, threads)).toFixed(1);
  const of = [1, 2, 16].map((threads) => `${threads} ${faster(1, threads)} and ${faster(5, threads)}`);
  const onGpu = rows(FLOW).findLast(
    ({ part, width, precision, pairs, warps, iterations }) =>
      part === "frames" && width === 640 && precision === "f32" && pairs === 1 && warps === 1 && iterations === 10,
  );
  const { median } = onGpu.milliseconds;
  return `cores, times as fast as the plain code (paper preset of 10 iterations, quality preset; 640 × 480): ${of.join(", ")}; ${wall(1, 2).toFixed(0)} ms on two and ${wall(1, 16).toFixed(0)} on 16, the host of an H200; \`tiled\` takes ${digits(median)}, ${Math.round(wall(1, 16) / median)} times less; ${card(onGpu)}`;
}

export function layered() {
  const of = rows("lab/results/flow-layered.jsonl").filter(({ benchmark }) => benchmark === "flow-layered");
  const mean = (scene, iterations) => {
    const those = of.filter((row) => row.scene === scene && row.preset === "paper" && row.iterations === iterations);
    return those.reduce((sum, { scores }) => sum + scores.all.epe, 0) / those.length;
  };
  const shown = ["slow", "middle", "fast"].map(
    (scene) => `${scene} ${[5, 20, 100].map((n) => digits(mean(scene, n))).join(", ")}`,
  );
  return `a made stand-in in Sintel's manner; EPE px after 5, 20, 100 iterations: ${shown.join("; ")}`;
}

/** EPE px and AAE ° of the shared pairs, paper preset. */
export function middlebury() {
  const of = (pair, iterations) =>
    last("lab/results/flow-accuracy.jsonl", { pair, preset: "paper", iterations, precision: "f32" });
  const shown = ["Dimetrodon", "Grove2", "Grove3", "RubberWhale", "Urban2", "Urban3"].map((pair) => {
    const cells = [5, 20, 50].map((n) => `${of(pair, n).epe.toFixed(2)}/${of(pair, n).aae.toFixed(1)}`);
    return `${pair} ${cells.join(", ")}`;
  });
  return `after 5, 20 and 50 iterations ${shown.join("; ")}; all in lab/notes/flow.md`;
}

/** The side of the square whose flow takes 5 and 10 ms, between the measured ones by their pixels. */
export function largest() {
  const sidesOf = (precision) => {
    const of = lastOf("frames", precision).filter(({ iterations, pairs }) => iterations === 10 && pairs === 1);
    const bySide = new Map(of.map((row) => [row.width, row.milliseconds.median]));
    const measured = [...bySide].sort(([a], [b]) => a - b);
    return [5, 10].map((limit) => {
      const above = measured.findIndex(([, milliseconds]) => milliseconds > limit);
      if (above === -1) return `above ${measured.at(-1)?.[0]}² in ${limit} ms`;
      const [[a, before], [b, after]] = [measured[above - 1], measured[above]];
      return `${Math.round(Math.sqrt(a ** 2 + ((limit - before) / (after - before)) * (b ** 2 - a ** 2)))}² in ${limit} ms`;
    });
  };
  const shown = ["f32", "f16"].map((precision) => `${sidesOf(precision).join(", ")} in ${precision}`);
  const watts = rows(FLOW).findLast(({ part, precision }) => part === "power" && precision === "f16").watts;
  return `${shown.join("; ")}; ${card(lastOf("frames", "f32")[0])}. The iterations alone draw ${watts.toFixed(0)} W in f16; H200`;
}

/** Mazurek's Fig. 3 and 4: the best over workgroups of each of his groups and of ours, without decimation and with the best of it. */
export function decimation() {
  const of = rows("lab/results/tbd-sweep.jsonl").filter(({ width }) => width === 1024);
  const group = (name, isOf) => {
    const those = of.filter(({ scheme }) => isOf(scheme));
    const times = those[0].milliseconds.map((_, d) => Math.min(...those.map(({ milliseconds }) => milliseconds[d])));
    const least = Math.min(...times);
    return `${name} ${digits(times[0])} ms at D = 1, ${digits(least)} at D = ${1 + times.indexOf(least)}`;
  };
  const ofPaper = (input) => (scheme) => /^(argument|constant)/.test(scheme) && scheme.includes(input);
  const groups = [
    group("texture", ofPaper("texture")),
    group("direct reads", ofPaper("storage")),
    group("ours", (scheme) => scheme.startsWith("all")),
  ];
  const counts = [...new Set(of.map(({ scheme }) => scheme))].map(
    (one) => of.filter(({ scheme }) => scheme === one).length,
  );
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  const workgroups = fewest === most ? `${most}` : `${fewest} to ${most}`;
  return `${groups.join("; ")}; the best of ${workgroups} of the 128 workgroups, drawn below; ${card(of[0])}`;
}
