import type { Places } from "../core/detections.js";
import { InputError } from "../core/errors.js";
import { TRIPLET_RULES } from "../map/instance/triplet-rules.js";
import type { CostModel } from "./cost.js";
import type { FormulaSource } from "./formula/compile.js";
import { modelOfFormulas } from "./formula/model.js";
import { messageOf } from "./message.js";
import { COST_MODELS, type ModelName } from "./models/cost-models.js";
import { hasFunctions, modelOfFunctions } from "./written/model.js";
import type { TripletTexts } from "./written/translate.js";

/** Where a cost model comes from, as plain data that can travel to worker threads: its name, a file that exports it, or formulas. */
export type ModelSource = ModelName | FileSource | FormulaSource;

export interface FileSource {
  /** The file as messages name it. */
  readonly file: string;
  /** Address to import, with a query that changes with the content. */
  readonly url: string;
  /** Of a file that states functions: its triplet translated, or the reason why it is not. */
  readonly triplet?: TripletTexts | string;
}

/**
 * The model that prices these positions: in space it may be another one than in the plane.
 * @throws InputError when a file cannot be imported or exports no CostModel, and where the cost does not know of positions in space
 */
export async function loadModel(source: ModelSource, positions: Partial<Places>): Promise<CostModel> {
  const model = await modelOf(source);
  if (positions.z === undefined) return model;
  if (model.inSpace !== undefined) return model.inSpace === "same" ? model : model.inSpace;
  const reads =
    typeof source === "string" || "js" in source
      ? "let its formulas name z_i and z_j"
      : 'state inSpace: "same" if it reads z';
  throw new InputError(
    `cost ${nameOf(source)}: does not read z, and positions are in space; ${reads}, or leave z out (--z-scale 0)`,
  );
}

async function modelOf(source: ModelSource): Promise<CostModel> {
  if (typeof source === "string") return COST_MODELS[source];
  return "js" in source ? modelOfFormulas(source) : await modelOfFile(source);
}

/** How messages name a cost. */
export function nameOf(source: ModelSource): string {
  if (typeof source === "string") return source;
  return "js" in source ? "formulas" : source.file;
}

const example = "export default { width: 1, rule: null, bind(detections) { return { link, triplet }; } }";

async function modelOfFile({ file, url, triplet }: FileSource): Promise<CostModel> {
  let exported: Record<string, unknown>;
  try {
    exported = await import(/* @vite-ignore */ url);
  } catch (error) {
    throw new InputError(`${file}: cannot be imported: ${messageOf(error)}; correct it, or check the path`);
  }
  const model = exported.default;
  if (model === undefined && hasFunctions(exported)) {
    return modelOfFunctions(file, exported, typeof triplet === "object" ? triplet : null);
  }
  const fault = faultOfModel(model);
  if (fault !== null) throw new InputError(`${file}: ${fault}; write it as ${example} (docs/how-to/own-costs.md)`);
  return model as CostModel;
}

/** The reason why a value is no CostModel, or null. */
function faultOfModel(model: unknown): string | null {
  if (typeof model !== "object" || model === null) return "has no default export that is a cost";
  const { width, rule, bind, plausible, calibrate, parameters, attributes, inSpace, wgsl } = model as Record<
    string,
    unknown
  >;
  if (!Number.isInteger(width) || (width as number) < 1 || (width as number) > 64) {
    return `width is ${JSON.stringify(width)}, not the count of numbers per link, 1 to 64`;
  }
  if (rule !== null && !(typeof rule === "string" && Object.hasOwn(TRIPLET_RULES, rule))) {
    return `rule is ${JSON.stringify(rule)}, not null or one of ${Object.keys(TRIPLET_RULES).join(", ")}`;
  }
  const ruleWidth = rule === null ? width : TRIPLET_RULES[rule as keyof typeof TRIPLET_RULES].width;
  if (width !== ruleWidth) return `width is ${width}, and rule ${JSON.stringify(rule)} takes ${ruleWidth}`;
  if (typeof bind !== "function") return "bind is not a function";
  for (const [name, optional] of Object.entries({ plausible, calibrate })) {
    if (optional !== undefined && typeof optional !== "function") return `${name} is not a function`;
  }
  if (
    attributes !== undefined &&
    !(Array.isArray(attributes) && attributes.every((name) => typeof name === "string"))
  ) {
    return "attributes is not a list of names";
  }
  const fault = inSpace === undefined || inSpace === "same" ? null : faultOfModel(inSpace);
  if (fault !== null) return `inSpace is neither "same" nor a cost: ${fault}`;
  if (wgsl !== undefined) {
    const { pair, numbers } = (wgsl ?? {}) as Record<string, unknown>;
    const complete = typeof pair === "string" && Array.isArray(numbers) && numbers.length === width;
    if (!complete)
      return `wgsl is not { pair, numbers } with a text for the pair cost and ${width} for the numbers per link`;
  }
  if (parameters === undefined) return null;
  if (typeof parameters !== "object" || parameters === null) return "parameters is not an object";
  for (const [name, parameter] of Object.entries(parameters as Record<string, unknown>)) {
    const { default: usual, unit, meaning } = (parameter ?? {}) as Record<string, unknown>;
    const complete = Number.isFinite(usual) && typeof unit === "string" && typeof meaning === "string";
    if (!complete) return `parameter ${name} lacks a finite default, a unit or a meaning`;
  }
  return null;
}
