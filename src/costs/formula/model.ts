import type { BoundCost, CostModel, MovingDetections } from "../cost.js";
import { hermiteLength } from "../models/arc-length.js";
import type { ParameterValues } from "../parameters.js";
import { withConstants } from "../written/translate.js";
import type { FormulaSource } from "./compile.js";

const square = (a: number): number => a * a;
const length = (a: number, b: number): number => Math.sqrt(a * a + b * b);

/** The cost that formulas state. The text is our own: names in it are chosen by compileFormulas, and formulas hold arithmetic alone. */
export function modelOfFormulas({ width, rule, triplet, attributes, parameters, js, wgsl }: FormulaSource): CostModel {
  const names = Object.keys(parameters);
  const written =
    triplet &&
    ((values: ParameterValues, timeStep: number) => ({
      name: "cost formulas",
      width,
      numbers: triplet.numbers,
      js: [
        "const [square, length] = [(a) => a * a, (a, b) => Math.sqrt(a * a + b * b)];",
        `const [p, dt] = [${JSON.stringify(names.map((name) => values[name]))}, ${timeStep}];`,
        `return (m, e, f) => ${triplet.js};`,
      ].join("\n"),
      wgsl: withConstants(
        triplet.wgsl,
        names.map((name) => values[name]),
        timeStep,
      ),
    }));
  const make = new Function("detections", "p", "square", "length", "arc", `"use strict";\n${js}`);
  return {
    width,
    rule: rule ?? written,
    attributes,
    ...(attributes.includes("z") && { inSpace: "same" as const }),
    parameters,
    bind: (detections: MovingDetections, _, values): BoundCost =>
      make(
        detections,
        names.map((name) => values[name]),
        square,
        length,
        hermiteLength,
      ),
    wgsl,
  };
}
