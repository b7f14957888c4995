import type { FlowResult, FlowSteps } from "../../pixels/flow/flow.js";
import type { FlowOptions } from "../../pixels/flow/options.js";
import type { ranOn } from "../../run/device.js";
import type { FlowScores } from "../../scores/flow.js";
import type { FlowFlags } from "../options/flow.js";
import { andWhy, type Line } from "../print.js";
import type { Progress } from "../progress.js";

/** Options and tools of a mode of `rmap flow`. */
export interface FlowRun {
  readonly flags: FlowFlags;
  readonly options: FlowOptions;
  readonly steps: FlowSteps;
  readonly device: ReturnType<typeof ranOn>;
  readonly progress: Progress;
}

/** The part of a result that goes into its row. */
export function summary(
  { width, height, levels, iterations, precision, schemes }: FlowResult,
  { device }: Pick<FlowRun, "device">,
) {
  return {
    width,
    height,
    levels: levels.map((level) => [level.width, level.height]),
    iterations,
    device,
    precision,
    schemes,
  };
}

export function scoreLines({ epe, aae, valid, r1, quantiles }: FlowScores): Line[] {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const { p50, p90, p99 } = quantiles;
  return [
    ["error", `EPE ${epe.toFixed(4)} px, AAE ${aae.toFixed(3)}°, over 1 px ${percent(r1)}`],
    [
      "",
      `half below ${p50.toFixed(3)} px, 90 % ${p90.toFixed(3)}, 99 % ${p99.toFixed(3)}; scored ${percent(valid)} of pixels`,
    ],
  ];
}

export function ranLines(flow: FlowResult, { options, device }: FlowRun, seconds: number | null): Line[] {
  const fewer = flow.levels.length < options.levels ? ` of ${options.levels} asked for, as the images are small` : "";
  const sizes = flow.levels.map(({ width, height }) => `${width} × ${height}`).join(", ");
  const time = `${seconds === null ? "" : `, ${seconds.toFixed(3)} s`}${andWhy(device.why)}`;
  const total = flow.iterations.flat().reduce((sum, count) => sum + count, 0);
  return [
    ["levels", `${flow.levels.length}${fewer}: ${sizes}`],
    ["ran", `${[...new Set(flow.schemes)].join(", ")}, ${total} iterations, ${device.actual} ${flow.precision}${time}`],
  ];
}

export function timesLine({ times }: FlowResult): Line {
  const parts = Object.entries(times).map(([part, seconds]) => `${part} ${(1000 * seconds).toFixed(3)} ms`);
  return ["times", parts.join(", ")];
}
