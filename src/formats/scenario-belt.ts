import { z } from "zod";
import { BELT_DEFAULTS, type BeltParameters } from "../simulation/belt/belt.js";
import { SHAPES } from "../simulation/belt/shapes.js";

const positive = z.number().positive().max(1e9);
const nonNegative = z.number().min(0).max(1e9);
const count = (least: number, most: number) => z.int().min(least).max(most);

/** The keys of a belt in a scenario: those of BeltParameters in SI units, with BELT_DEFAULTS applied. */
export const belt = z
  .strictObject({
    materials: z
      .array(
        z.strictObject({
          shape: z.enum(SHAPES),
          diameter: z.number().min(1e-4).max(0.05),
          share: positive.default(1),
        }),
      )
      .min(1)
      .max(20),
    rate: z.number().positive().max(1e5),
    frames: count(2, 1_000_000),
    frameRate: z.number().min(1).max(1e4).default(BELT_DEFAULTS.frameRate),
    filling: z.number().min(0).max(100).default(BELT_DEFAULTS.filling),
    beltSpeed: z.number().positive().max(20).default(BELT_DEFAULTS.beltSpeed),
    width: z.number().min(0.013).max(10).default(BELT_DEFAULTS.width),
    view: z.tuple([nonNegative, z.number().positive().max(10)]).default([...BELT_DEFAULTS.view]),
    feedSpeed: z.tuple([z.number().min(-20).max(20), nonNegative, nonNegative]).default([...BELT_DEFAULTS.feedSpeed]),
    feedHeight: z.number().positive().max(0.2).default(BELT_DEFAULTS.feedHeight),
    restitution: z.number().min(0.2).max(0.99).default(BELT_DEFAULTS.restitution),
    stiffness: positive.default(BELT_DEFAULTS.stiffness),
    beltFriction: nonNegative.default(BELT_DEFAULTS.beltFriction),
    friction: nonNegative.default(BELT_DEFAULTS.friction),
    rollingFriction: nonNegative.default(BELT_DEFAULTS.rollingFriction),
    density: positive.default(BELT_DEFAULTS.density),
    stepsPerContact: z.number().min(6).max(1000).default(BELT_DEFAULTS.stepsPerContact),
    noise: nonNegative.default(BELT_DEFAULTS.noise),
    missed: z.number().min(0).lt(1).default(BELT_DEFAULTS.missed),
  })
  .check(({ value, issues }) => {
    if (value.view[0] >= value.view[1]) {
      issues.push({
        code: "custom",
        input: value,
        path: ["view"],
        message: "give where the view starts and then where it ends",
      });
    }
  }) satisfies z.ZodType<Required<BeltParameters>>;
