import type { BoundCost, CostModel, MovingDetections } from "../cost.js";
import { hermiteLength } from "../models/arc-length.js";
import type { FormulaSource } from "./compile.js";

const square = (a: number): number => a * a;
const length = (a: number, b: number): number => Math.sqrt(a * a + b * b);

/** The cost that formulas state. The text is our own: names in it are chosen by compileFormulas, and formulas hold arithmetic alone. */
export function modelOfFormulas({ width, rule, attributes, parameters, js, wgsl }: FormulaSource): CostModel {
  const make = new Function("detections", "p", "square", "length", "arc", `"use strict";\n${js}`);
  return {
    width,
    rule,
    attributes,
    ...(attributes.includes("z") && { inSpace: "same" as const }),
    parameters,
    bind: (detections: MovingDetections, _, values): BoundCost =>
      make(
        detections,
        Object.keys(parameters).map((name) => values[name]),
        square,
        length,
        hermiteLength,
      ),
    wgsl,
  };
}
