import type { CostModel } from "../cost.js";
import { euclidean } from "./euclidean.js";
import { likelihood } from "./likelihood.js";
import { spline } from "./spline.js";

/** Every cost that can be asked for by name. */
export const COST_MODELS = { spline, euclidean, likelihood } as const satisfies Record<string, CostModel>;

export type CostName = keyof typeof COST_MODELS;
