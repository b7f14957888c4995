import { expectedOf } from "../experiments/expected.js";
import { gigabytes } from "../files/memory.js";
import { readInput } from "../formats/input.js";
import { findAdapter, listDevices } from "../gpu/adapter.js";
import { makeProblem } from "../run/problem.js";
import { now } from "./clock.js";
import { command, option } from "./declaration/declaration.js";
import { costOptions } from "./options/costs.js";
import { problemInput } from "./options/files.js";
import { readingOptions } from "./options/reading.js";
import { threads } from "./options/running.js";
import { many } from "./print.js";
import { showPricing } from "./solve-progress.js";

const options = {
  for: option(
    "--for <input>",
    "price this input, and estimate time and memory of its solve on each device",
    problemInput,
  ),
  threads: threads(" of the CPU"),
  ...readingOptions(),
  ...costOptions(),
};

export const devices = command({
  group: "About this program and machine",
  summary: "List the devices that rmap can compute on, and the one that --device auto takes.",
  arguments: {},
  options,
  examples: ["rmap devices", "rmap devices --json", "rmap devices --for scenarios/paper/n300-t300.json"],
  notes: `The seconds of --for are those that a solve takes from its first price on, fitted to an H200 and the 16 cores beside it (lab/notes/gpu.md), and so is the memory of the process; that of the GPU is counted. --device
auto takes the CPU where it is as fast.`,
  async run(_, flags, { progress }) {
    const found = await listDevices();
    const gpu = (await findAdapter("auto"))?.description.name ?? null;
    const lines = found.flatMap(({ kind, name, backend, driver, maxBindingBytes, maxWorkgroupBytes, subgroup }) => [
      `${kind.padEnd(9)} ${name} (${backend}${driver === "" ? "" : `, ${driver}`})`,
      `          largest binding ${maxBindingBytes} bytes, workgroup memory ${maxWorkgroupBytes} bytes, subgroups of ${subgroup.join(" to ")}`,
    ]);
    const listed = [...lines, "cpu       f64, worker threads"];
    if (flags.for === undefined) {
      const auto = gpu ?? "cpu";
      return { text: [...listed, `--device auto takes: ${auto}`, ""].join("\n"), json: { auto, devices: found } };
    }
    const { for: input, threads, ...overrides } = flags;
    // Nothing is stored that one of the devices computes.
    const solver = { withoutTwins: false, computesTriplets: () => true };
    const options = { threads, now, progress: showPricing(progress), solver };
    const problem = await makeProblem(await readInput(input, overrides), overrides, options);
    const expected = expectedOf(problem, threads, overrides.triplets !== "implicit");
    const { cpu, gpu: ofGpu } = expected;
    const auto = gpu !== null && ofGpu.seconds < cpu.seconds && !expected.staysOnCpu ? gpu : "cpu";
    const onGpu = expected.needsCpu
      ? "not at all: its kernels know neither unused detections nor exclusions"
      : `about ${shown(ofGpu.seconds)}, ${size(ofGpu.deviceBytes)} of its memory and ${size(ofGpu.bytes)} of the host's, triplets ${held(ofGpu)}`;
    const text = [
      ...listed,
      `${flags.for}: ${expected.detections} detections, ${expected.edges} edges, ${expected.triplets} triplets`,
      `  on the CPU   about ${shown(cpu.seconds)} with ${many(threads, "thread")} and ${size(cpu.bytes)} of memory, triplets ${held(cpu)}`,
      `  on a GPU     ${onGpu}`,
      `--device auto takes: ${auto}`,
      "",
    ];
    return { text: text.join("\n"), json: { auto, devices: found, expected } };
  },
});

const held = ({ storage }: { readonly storage: string }) => (storage === "csr" ? "stored" : "computed");
const size = (bytes: number) => (bytes < 2 ** 30 ? `${Math.ceil(bytes / 2 ** 20)} MiB` : gigabytes(bytes));
const shown = (seconds: number) => `${seconds.toPrecision(2)} s`;
