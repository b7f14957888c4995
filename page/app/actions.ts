/** What a user does: files, solves, corrections, moves of the view. */
import { batch } from "@preact/signals";
import type { Answer, Correction, ExportedFile, GivenFile, Opened } from "../worker/protocol.js";
import * as state from "./state.js";
import type { WorkerClient } from "./worker-client.js";

let worker: WorkerClient;
export const connect = (client: WorkerClient): void => {
  worker = client;
};

/** Does some work of the worker, with words for what it is, and for how it failed. */
async function during<Result>(what: string, work: () => Promise<Result>): Promise<Result | null> {
  if (state.busy.value !== null) return null;
  batch(() => {
    state.busy.value = what;
    state.progress.value = [];
    state.message.value = null;
  });
  try {
    return await work();
  } catch (error) {
    state.message.value = { text: (error as Error).message, isError: true };
    return null;
  } finally {
    state.busy.value = null;
  }
}

export async function unpack(base64: string): Promise<void> {
  show(await during("Reading", () => worker.call("unpack", base64)));
}

export async function openFiles(files: Promise<readonly GivenFile[]>): Promise<void> {
  const opened = await during("Reading", async () => worker.call("open", await files));
  show(opened);
  if (opened?.scene?.canSolve && opened.answer === null)
    state.message.value = { text: opened.scene.memory, isError: false };
}

function show(opened: Opened | null): void {
  if (opened === null) return;
  const { scene, answer, corrections, verdict } = opened;
  batch(() => {
    if (scene !== null) {
      state.scene.value = scene;
      state.frame.value = 0;
      state.selected.value = null;
      state.depth.value = null;
      begin(answer);
    } else if (answer !== null) state.answer.value = answer;
    if (corrections !== null) state.corrections.value = corrections;
    if (verdict !== null) state.message.value = { text: verdict.text, isError: !verdict.holds };
  });
}

function begin(answer: Answer | null): void {
  state.answer.value = answer;
  state.corrections.value = [];
  state.judged.value = new Map();
  state.cursor.value = -1;
  state.instead.value = null;
}

export async function solve(): Promise<void> {
  const answer = await during("Solving", () => worker.call("solve", state.corrections.value));
  if (answer === null) return;
  batch(() => {
    state.answer.value = answer;
    state.instead.value = null;
  });
}

export function stop(): void {
  worker.call("stop");
}

/** The link in the list that the keys are about. */
export const present = () => state.doubtful.value[state.cursor.value] ?? null;

/** Shows a link of the list: its frame, and the room around it. */
export function goTo(place: number): void {
  const list = state.doubtful.value;
  if (list.length === 0) return;
  const at = Math.min(list.length - 1, Math.max(0, place));
  const scene = state.scene.value;
  const link = list[at];
  if (scene === null) return;
  batch(() => {
    state.cursor.value = at;
    state.instead.value = null;
    state.playing.value = false;
    state.showFrame(state.frameOf.value[link.to]);
    state.selected.value = state.answer.value?.track[link.from] ?? null;
    const { x, y } = scene;
    const { scale } = state.camera.value;
    state.camera.value = { x: (x[link.from] + x[link.to]) / 2, y: (y[link.from] + y[link.to]) / 2, scale };
  });
}

/** The next link of the list that is not judged. */
export function next(): void {
  const list = state.doubtful.value;
  const isOpen = (n: number) => !state.judged.value.has(state.linkKey(list[n].from, list[n].to));
  for (let step = 1; step <= list.length; step++) {
    const place = (state.cursor.value + step) % list.length;
    if (isOpen(place)) {
      goTo(place);
      return;
    }
  }
}

/** Calls the present link right or wrong, and solves again with that. */
export async function judge(verdict: "right" | "wrong"): Promise<void> {
  const link = present();
  if (link === null || state.busy.value !== null) return;
  const kind = verdict === "right" ? "required" : "forbidden";
  await correct([...state.corrections.value, { kind, from: link.from, to: link.to }]);
}

export async function undo(): Promise<void> {
  if (state.corrections.value.length > 0) await correct(state.corrections.value.slice(0, -1));
}

async function correct(list: readonly Correction[]): Promise<void> {
  const answer = await during("Solving again", () => worker.call("correct", list));
  if (answer === null) return;
  batch(() => {
    state.corrections.value = list;
    state.judged.value = new Map(
      list.map(({ kind, from, to }) => [state.linkKey(from, to), kind === "required" ? "right" : "wrong"]),
    );
    state.answer.value = answer;
  });
  next();
}

export async function exportAll(): Promise<void> {
  const files = await during("Making files", () => worker.call("exports", state.corrections.value));
  for (const file of files ?? []) save(file);
}

function save({ name, text }: ExportedFile): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export function letGo(): void {
  state.selected.value = null;
}

/** The whole recording in a canvas of this size. */
export function showWhole(width: number, height: number): void {
  const scene = state.scene.value;
  if (scene === null || width === 0) return;
  const [x0, x1] = range(scene.x);
  const [y0, y1] = range(scene.y);
  const scale = 0.94 * Math.min(width / (x1 - x0 || 1), height / (y1 - y0 || 1));
  state.camera.value = { x: (x0 + x1) / 2, y: (y0 + y1) / 2, scale };
}

export function range(values: Float64Array): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return [least, most];
}

/** Zooms by a factor about a place that stays where it is. */
export function zoom(factor: number, about = state.camera.value as { readonly x: number; readonly y: number }): void {
  const { x, y, scale } = state.camera.value;
  const keep = 1 / factor;
  state.camera.value = { x: about.x + (x - about.x) * keep, y: about.y + (y - about.y) * keep, scale: scale * factor };
}

/** Moves the view by pixels of the canvas. */
export function pan(dx: number, dy: number): void {
  const { x, y, scale } = state.camera.value;
  const up = state.scene.value?.isImage === true ? -1 : 1;
  state.camera.value = { x: x - dx / scale, y: y + (up * dy) / scale, scale };
}
