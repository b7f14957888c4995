/** The depths of a table of detections, where it has some. */
import { varies } from "../core/detections.js";
import { refuse } from "../files/refusal.js";
import { type DetectionRows, depthRule, labelOf } from "./detection-columns.js";
import { type ReadingOptions, Z_SCALE } from "./reading-options.js";
import type { DetectionsForm } from "./table-form.js";

/** Depths in the unit of x and y. */
export interface Depth {
  readonly z: Float64Array;
  /** null where velocities have no part along z. */
  readonly vz: Float64Array | null;
}

const plainUnit = (unit: string) => unit.toLowerCase().replace(/^(µm|μm|microns?)$/, "um");

/** @throws InputError where z is in a unit other than that of x, and its length in that unit is not stated */
export function requireUnitOfDepth(place: string, { unitOf }: DetectionsForm, { zScale }: ReadingOptions): void {
  const [x, z] = [unitOf.get("x"), unitOf.get("z")];
  if (zScale !== undefined || x === undefined || z === undefined || plainUnit(x) === plainUnit(z)) return;
  refuse(place, `z is in ${z}, and x in ${x}`, `give the length of a unit of z in ${x}, as in ${Z_SCALE} 0.5`);
}

/** @throws InputError where a length of z is stated, and there is no z */
export function refuseScale(file: string, { zScale = 0, statedBy = Z_SCALE }: ReadingOptions): void {
  if (zScale > 0) refuse(statedBy, `states the length of a unit of z, and ${file} has no z`, "leave it out");
}

/**
 * The depths of the rows; null where they are all the same, so that the detections are in one plane.
 * @throws InputError for rows without z among others with
 */
export function depthOf(
  file: string,
  form: DetectionsForm,
  { z, vz, line }: DetectionRows,
  asked: ReadingOptions,
  notes: string[],
): Depth | null {
  if (z === null) refuseScale(file, asked);
  if (z === null || z.every(Number.isNaN) || !varies(z)) return null;
  const place = `column ${labelOf(form, "z")}`;
  const missing = z.findIndex(Number.isNaN);
  if (missing >= 0) refuse(`${file}:${line[missing]}, ${place}`, "has no z, and other rows have", depthRule.remedy);
  requireUnitOfDepth(`${file}, ${place}`, form, asked);
  const { zScale = 1 } = asked;
  const [low, high] = [z.reduce((a, b) => Math.min(a, b)), z.reduce((a, b) => Math.max(a, b))];
  const isSlice = asked.zScale === undefined && /slice|plane|index/i.test(labelOf(form, "z"));
  const unit = isSlice ? `; each counts as a unit of x and y (else give ${Z_SCALE})` : "";
  const scaled = zScale === 1 ? "" : `, taken times ${zScale}`;
  notes.push(`Positions are in space, z from ${low} to ${high}${scaled}${unit}.`);
  const inUnits = (values: Float64Array) => (zScale === 1 ? values : values.map((value) => zScale * value));
  return { z: inUnits(z), vz: vz && inUnits(vz) };
}
