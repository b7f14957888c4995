import { z } from "zod";
import {
  BELT_DEFAULTS,
  BELT_RANGES,
  type BeltParameters,
  FEED_SPEED_RANGES,
  MATERIAL_RANGES,
  VIEW_RANGES,
} from "../simulation/belt/belt.js";
import { SHAPES } from "../simulation/belt/shapes.js";
import { numberIn } from "./settings.js";

const usual = (name: keyof typeof BELT_RANGES & keyof typeof BELT_DEFAULTS) =>
  numberIn(BELT_RANGES[name]).default(BELT_DEFAULTS[name]);

/** The keys of a belt in a scenario: those of BeltParameters in SI units, with BELT_DEFAULTS applied. */
export const belt = z
  .strictObject({
    materials: z
      .array(
        z.strictObject({
          shape: z.enum(SHAPES),
          diameter: numberIn(MATERIAL_RANGES.diameter),
          share: numberIn(MATERIAL_RANGES.share).default(1),
        }),
      )
      .min(1)
      .max(20),
    rate: numberIn(BELT_RANGES.rate),
    frames: numberIn(BELT_RANGES.frames),
    frameRate: usual("frameRate"),
    filling: usual("filling"),
    beltSpeed: usual("beltSpeed"),
    width: usual("width"),
    view: z.tuple([numberIn(VIEW_RANGES[0]), numberIn(VIEW_RANGES[1])]).default([...BELT_DEFAULTS.view]),
    feedSpeed: z
      .tuple([numberIn(FEED_SPEED_RANGES[0]), numberIn(FEED_SPEED_RANGES[1]), numberIn(FEED_SPEED_RANGES[2])])
      .default([...BELT_DEFAULTS.feedSpeed]),
    feedHeight: usual("feedHeight"),
    restitution: usual("restitution"),
    stiffness: usual("stiffness"),
    beltFriction: usual("beltFriction"),
    friction: usual("friction"),
    rollingFriction: usual("rollingFriction"),
    density: usual("density"),
    stepsPerContact: usual("stepsPerContact"),
    noise: usual("noise"),
    missed: usual("missed"),
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
