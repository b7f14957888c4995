import { z } from "zod";
import { checkJson, parsePlaced } from "../files/json-file.js";
import { jsonLimit, readBytes } from "../files/text-file.js";

const point = z.tuple([z.number(), z.number()]);
const numbers = z.array(z.number());

const schema = z.strictObject({
  kind: z.literal("rmap track state"),
  closed: z.int().min(0),
  reach: z.number().positive(),
  /** Tracks already decided at the line. */
  decided: numbers,
  displacement: point,
  nearest: z.number().nullable(),
  /** Infinite sides are null. */
  view: z
    .tuple([z.number().nullable(), z.number().nullable(), z.number().nullable(), z.number().nullable()])
    .nullable(),
  tracker: z.strictObject({
    nextTrack: z.int().min(0),
    noise: z.strictObject({ q: z.number().min(0), r: z.number().min(0) }),
    columns: z.array(numbers),
    history: numbers,
  }),
  /** The file that rows went to, and its length then. */
  output: z.strictObject({ file: z.string(), bytes: z.int().min(0) }).nullable(),
});

/** The file in which `rmap track --state` keeps the state of src/run/track.ts between runs. */
export type TrackStateFile = Omit<z.infer<typeof schema>, "kind" | "view"> & {
  readonly view: readonly [number, number, number, number] | null;
};

const SIDES = [-Infinity, Infinity, -Infinity, Infinity];

export function readTrackState(file: string): TrackStateFile {
  const { value, place } = parsePlaced(file, readBytes(file, jsonLimit));
  const { kind: _, view, ...state } = checkJson(value, schema, place);
  return { ...state, view: view && (view.map((side, k) => side ?? SIDES[k]) as [number, number, number, number]) };
}

export function trackStateText(state: object): string {
  return `${JSON.stringify({ kind: "rmap track state", ...state })}\n`;
}
