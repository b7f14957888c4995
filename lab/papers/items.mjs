/**
 * Every numbered table and figure of the five papers: what makes it here, what came out beside the paper's, or why it cannot be had. papers.mjs runs the commands and
 * makes the tables of lab/notes/papers.md of it. RMAP stands for the program, DEVICE for gpu or software, OUT for a folder; `tiny` is a command of seconds.
 *
 * `ours` is made from rows (ours.mjs) wherever there are any.
 *
 * @typedef {{ item: string, what: string, command?: string, tiny?: string, ours?: string | (() => string), theirs?: string, why?: string }} Item
 */
import * as ours from "./ours.mjs";

const MADE = "RMAP flow --make layers -o OUT/layers";
const IMAGE = "OUT/layers/0.png";
const DRAWN = "a drawing or a photograph: nothing is measured in it";

/** @type {Readonly<Record<string, { title: string, items: readonly Item[] }>>} */
export const PAPERS = {
  kawtikwar: {
    title: "Kawtikwar & Nagi 2023, the solver",
    items: [
      { item: "Fig. 1, 4", what: "the assignment graph; a storage format", why: DRAWN },
      {
        item: "Fig. 2",
        what: "share of each step of dual ascent",
        command: "lab/paper/figure.sh fig2 DEVICE OUT",
        ours: ours.stepShares,
        theirs: "almost 85 % (§VI); no figures in the text",
      },
      {
        item: "Fig. 3",
        what: "made trajectories",
        command: "RMAP solve scenarios/demo.json -o OUT/fig3",
        tiny: "RMAP solve scenarios/tiny.json --device cpu -o OUT/fig3",
        ours: "OUT/fig3/tracks.svg",
      },
      {
        item: "Fig. 5",
        what: "MMEP and ITCP with a gate and without",
        command: "lab/paper/figure.sh fig5 cpu OUT",
        ours: ours.gating,
        theirs: "“MMEP usually increases after gating”; a picture",
      },
      {
        item: "Fig. 6 to 8",
        what: "speedups of LAPs, of the distribution and of all",
        command: "lab/paper/figure.sh fig6-8 gpu OUT",
        tiny: "lab/naive/gpu.sh OUT/fig6-8.jsonl software 5",
        ours: ours.speedups,
        theirs: "708, 24.7 and 5.86; A100",
      },
    ],
  },
  maier: {
    title: "Maier et al. 2019, the sorting line",
    items: [
      { item: "Fig. 1 to 4", what: "the machine, the tracker, the auction", why: DRAWN },
      {
        item: "Table 1",
        what: "the six sets",
        command: "node lab/sorting/gpu.mjs sets --device DEVICE --rows OUT/sets.jsonl",
        ours: ours.setSizes,
        theirs: "its cells are not in our copy",
      },
      {
        item: "Table 2",
        what: "errors of the tracks",
        command: "node lab/sorting/acceptance.mjs --seeds 1 --rows OUT/table-2.jsonl",
        tiny: "node lab/sorting/acceptance.mjs --sets cylinders --frames 30 --processes 1 --rows OUT/table-2.jsonl",
        ours: ours.sortingErrors,
        theirs: "its cells are not in our copy",
      },
      {
        item: "Fig. 5, Table 3, Table 4",
        what: "times, speedups and share of 5 ms",
        command: "node lab/sorting/gpu.mjs sets --device DEVICE --rows OUT/sets.jsonl",
        tiny: "node lab/sorting/ratios.mjs",
        ours: ours.sets,
        theirs:
          "1.04 to 1.7, mean 1.24 (1.17 in CUDA; 1.25 and 1.32 in OpenCL); Spheres 2 1.4 to 1.7, and 26 to 31 points less of the 5 ms on the Titan X; the cells are not in our copy",
      },
      {
        item: "Fig. 6",
        what: "time of each frame",
        command:
          "node lab/sorting/gpu.mjs frames --device DEVICE --rows OUT/fig-6.jsonl && node dist-lab/report/main.js OUT/fig-6.jsonl -o OUT/fig-6.html",
        ours: ours.frames,
        theirs: "a picture",
      },
    ],
  },
  mazurek: {
    title: "Mazurek 2010, track-before-detect",
    items: [
      { item: "Fig. 1, 2", what: "the recursion, with and without decimation", why: DRAWN },
      {
        item: "Fig. 3, 4",
        what: "best time of each variant over D",
        command:
          "node lab/tbd/sweep.mjs --device DEVICE --rows OUT/sweep.jsonl && node lab/tbd/sweep.mjs --table --rows OUT/sweep.jsonl && node dist-lab/report/main.js OUT/sweep.jsonl --figures OUT",
        tiny: "node lab/tbd/sweep.mjs --device software --size 32 --most 2 --groups 8x1 --seconds 10 --processes 2 --rows OUT/sweep.jsonl && node lab/tbd/sweep.mjs --table --size 32 --rows OUT/sweep.jsonl",
        ours: ours.decimation,
        theirs: "8 widths × 16 heights × D = 1 to 20 on a GeForce 8800 GTS; pictures",
      },
    ],
  },
  muecke: {
    title: "Mücke 2007, features",
    items: [
      {
        item: "Abb. 2.1, Tab. 4.1, 4.2, A.1, A.2",
        what: "processors of 2006, number formats, shader models",
        why: "of the cards of that time and of standards; nothing of the methods",
      },
      {
        item: "Abb. 3.1 to 3.4, 3.6 to 3.8, 4.1 to 4.5, 5.1, 5.4, 5.7, 5.10 to 5.12, 5.14, A.1",
        what: "examples, flow charts, the test scene",
        why: DRAWN,
      },
      {
        item: "Abb. 3.5",
        what: "edge and corner detectors side by side",
        command: `${MADE} && for m in sobel log dog canny; do RMAP detect ${IMAGE} --method $m --device cpu -o OUT/$m.png; done; for m in harris klt; do RMAP detect ${IMAGE} --method $m --device cpu -o OUT/$m.csv --picture OUT/$m.svg; done`,
        tiny: `${MADE} && RMAP detect ${IMAGE} --method sobel --device cpu -o OUT/sobel.png && RMAP detect ${IMAGE} --method klt --device cpu -o OUT/klt.csv`,
        ours: "images",
      },
      {
        item: "Abb. 3.9",
        what: "SIFT's places",
        command: `${MADE} && RMAP detect ${IMAGE} --method sift --device cpu -o OUT/sift.csv --picture OUT/sift.svg`,
        ours: "an image",
      },
      {
        item: "Tab. 4.3",
        what: "bandwidth",
        command: "node dist-lab/features/bench.js --figure table-4.3 --device DEVICE --append OUT/table-4.3.jsonl",
        ours: ours.bandwidth,
        theirs: "0.8 and 1, 103.5 GB/s",
      },
      {
        item: "Abb. 5.2",
        what: "parts of Harris",
        command: "node dist-lab/features/bench.js --figure 5.2 --device DEVICE --append OUT/5.2.jsonl",
        ours: ours.suppression,
        theirs: "the reverse: on the CPU 35 % faster (6800)",
      },
      {
        item: "Abb. 5.3",
        what: "Harris by size",
        command: "node dist-lab/features/bench.js --figure 5.3 --device DEVICE --append OUT/5.3.jsonl",
        ours: ours.harris,
        theirs: "above 30 frames a second at 1024 × 768, 9 to 19 times the CPU (7900 GT)",
      },
      {
        item: "Abb. 5.5",
        what: "KLT by size and number",
        command: "node dist-lab/features/bench.js --figure 5.5 --device DEVICE --append OUT/5.5.jsonl",
        ours: ours.klt,
        theirs: "1,000 features at 800 × 600 in real time; the page with the figures is not in our copy",
      },
      {
        item: "Abb. 5.6",
        what: "KLT following a video",
        command:
          "RMAP render scenarios/tbd/spots.json -o OUT/video && RMAP follow OUT/video/frames.npy --device cpu -o OUT/followed.csv",
        ours: ours.follow,
        theirs: "a picture of an unpublished video",
      },
      {
        item: "Abb. 5.8, Tab. 5.1",
        what: "OpenVIDIA's features and tracking, ms",
        command: "node dist-lab/features/bench.js --figure table-5.1 --device DEVICE --append OUT/table-5.1.jsonl",
        ours: ours.openvidia,
        theirs: "42 and 435 (7900 GT)",
      },
      {
        item: "Abb. 5.9",
        what: "OpenVIDIA's features drawn",
        command: `${MADE} && RMAP detect ${IMAGE} --method openvidia --device cpu -o OUT/openvidia.csv --picture OUT/openvidia.svg`,
        tiny: `${MADE} && RMAP detect ${IMAGE} --method openvidia --top 50 --device cpu -o OUT/openvidia.csv --picture OUT/openvidia.svg`,
        ours: "an image with each feature's direction; its number is its row of the CSV",
      },
      {
        item: "Abb. 5.13",
        what: "SIFT's time at 320 × 240",
        command: "node dist-lab/features/bench.js --figure 5.13 --device DEVICE --append OUT/5.13.jsonl",
        ours: ours.sift,
        theirs: "CPU 0.406 s, optimized 0.312 s, GPU 0.058 s; 450 features matched in 0.019 s (Heymann, GeForce 6)",
      },
    ],
  },
  romera: {
    title: "Romera et al. 2023, optical flow",
    items: [
      { item: "Fig. 1 to 7", what: "the iteration, its stencils and schemes", why: DRAWN },
      {
        item: "Table 1",
        what: "schemes at 2048², 10 iterations, ns/px",
        command: "node lab/flow/speed.mjs table --device DEVICE --rows OUT/table-1.jsonl && node lab/flow/counts.mjs",
        tiny: "node lab/flow/counts.mjs",
        ours: ours.schemes,
        theirs:
          "F32 and F16: Global 8.17 and 4.36, Shared_fusion 8.13 and 4.31, Global_pipeline 6.65 and 4.02, Shared_pipeline 5.10 and 2.86; AGX Xavier",
      },
      {
        item: "Fig. 8",
        what: "the same by size",
        command: "node lab/flow/speed.mjs sizes --device DEVICE --rows OUT/fig-8.jsonl",
        ours: ours.sizes,
        theirs: "up to 2048² 2.9 ns/px in F16, 5.1 in F32; AGX Xavier",
      },
      { item: "Fig. 9, 10", what: "the same on TX2 and Nano", why: "there are no such boards here" },
      {
        item: "Fig. 11",
        what: "iterations a dispatch",
        command: "node lab/flow/speed.mjs depth-f32 depth-f16 --device DEVICE --rows OUT/fig-11.jsonl",
        ours: ours.depths,
        theirs: "`shared-pipeline` with 6 in F32, 7 in F16",
      },
      {
        item: "§4.2",
        what: "the flow on a CPU, in vectors and on all cores",
        command: "node lab/flow/twin.mjs --rows OUT/cpu.jsonl",
        tiny: "node lab/flow/twin.mjs --repeat 2 --rows OUT/cpu.jsonl",
        ours: ours.processors,
        theirs: "Neon_F16 takes 7.4 times as long as their best GPU scheme",
      },
      {
        item: "Fig. 12",
        what: "energy over clocks",
        command: "node lab/flow/speed.mjs power --device DEVICE --rows OUT/fig-12.jsonl",
        ours: ours.energy,
        theirs: "a picture; `shared-pipeline` in F16 takes 6.4 times less than Neon_F16 on the CPU",
      },
      {
        item: "Table 2a, Fig. 13b",
        what: "errors on Middlebury",
        command: "node lab/flow/accuracy.mjs cpu",
        tiny: "RMAP flow --make turn -o OUT/turn && RMAP flow OUT/turn/0.png OUT/turn/1.png --preset paper --iterations 5 --truth OUT/turn/truth.flo --border 8 --device cpu",
        ours: ours.middlebury,
        theirs:
          "in 2.5, 5 and 10 ms, F32 (about 5, 17 and 37 iterations; F16 10, 23 and 45): Dimetrodon 0.91/19.6, 0.29/5.5, 0.20/3.4; Grove2 1.52/24.5, 0.40/5.7, 0.22/3.3; Grove3 2.47/27.2, 1.34/11.7, 1.01/8.9; RubberWhale 0.42/13.4, 0.28/9.1, 0.24/7.7; Urban2 7.44/40.0, 6.38/22.4, 5.59/14.1; Urban3 6.34/50.1, 5.03/27.7, 3.95/17.9",
      },
      {
        item: "Table 2b, Fig. 13a",
        what: "errors on MPI-Sintel, which is not here",
        command: "node lab/flow/layered.mjs --seeds 1,2,3,4 --rows OUT/table-2b.jsonl",
        tiny: "node lab/flow/layered.mjs --seeds 1 --scenes fast --size 160x80 --rows OUT/table-2b.jsonl",
        ours: ours.layered,
        theirs:
          "sleeping_1 1.48, 0.54, 0.28, alley_2 4.48, 1.44, 0.79, cave_4 15.39, 9.57, 7.07 px in 2.5, 5 and 10 ms, F32",
      },
      {
        item: "Table 3",
        what: "largest image in a time",
        command: "node lab/flow/speed.mjs large --device DEVICE --rows OUT/table-3.jsonl",
        ours: ours.largest,
        theirs: "5 ms 644² and 896², 10 ms 962² and 1314², 40 ms 2050² and 2848²; 23 to 34 W; AGX Xavier",
      },
    ],
  },
};
