import type { CostModel } from "../cost.js";
import { euclidean } from "./euclidean.js";
import { likelihood } from "./likelihood.js";
import { spline } from "./spline.js";

/** The costs that are a function of numbers kept per link. */
export const COST_MODELS = { spline, euclidean, likelihood } as const satisfies Record<string, CostModel>;

export type ModelName = keyof typeof COST_MODELS;

/** Every cost that can be chosen by name. "motion" is estimated from tracks, pass by pass (src/costs/motion/). */
export const COST_NAMES = [...(Object.keys(COST_MODELS) as ModelName[]), "motion"] as const;

export type CostName = ModelName | "motion";
