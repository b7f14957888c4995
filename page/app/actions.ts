/** What a user does: files, solves, corrections, moves of the view. */
import { batch } from "@preact/signals";
import type { Camera } from "../view/picture.js";
import { range } from "../view/range.js";
import type { Answer, Correction, Decoded, ExportedFile, GivenFile, Opened, Simulation } from "../worker/protocol.js";
import { isDown } from "./images.js";
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

/** Opens files; whether there is another recording now. */
export async function openFiles(files: Promise<readonly GivenFile[]>): Promise<boolean> {
  const opened = await during("Reading", async () => worker.call("open", await files));
  show(opened);
  if (opened?.scene?.canSolve && opened.answer === null)
    state.message.value = { text: opened.scene.memory, isError: false };
  return opened !== null && opened.scene !== null;
}

/** The images of files that browsers do not show. */
export async function decode(files: Promise<readonly GivenFile[]>): Promise<readonly Decoded[]> {
  return (await during("Reading images", async () => worker.call("decode", await files))) ?? [];
}

/** Draws simulated detections by other numbers; of those that are asked for meanwhile the last ones follow. */
export async function draw(simulation: Simulation): Promise<void> {
  const isDrawing = state.asked.value !== null;
  state.asked.value = simulation;
  if (isDrawing) return;
  const p = state.frame.value;
  let drawn: Simulation | null = null;
  while (drawn !== state.asked.value) {
    const next: Simulation = state.asked.value;
    drawn = next;
    show(await during("Drawing", () => worker.call("draw", next)));
    state.showFrame(p);
  }
  state.asked.value = null;
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
    if (corrections !== null) state.judgements.value = corrections;
    if (verdict !== null) state.message.value = { text: verdict.text, isError: !verdict.holds };
  });
}

function begin(answer: Answer | null): void {
  state.answer.value = answer;
  state.judgements.value = [];
  state.joining.value = null;
  state.cursor.value = -1;
  state.instead.value = null;
}

export async function solve(): Promise<void> {
  const answer = await during("Solving", () => worker.call("solve", state.corrections.value, state.device.value));
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
  const link = list[at];
  const [from, to] = [link.from < 0 ? link.to : link.from, link.to < 0 ? link.from : link.to];
  batch(() => {
    state.cursor.value = at;
    state.instead.value = null;
    state.message.value = null;
    state.playing.value = false;
    state.selected.value = state.answer.value?.track[from] ?? null;
    lookAt(from, to);
  });
  if (link.kind === "link") askInstead(link);
}

/** What the best answer without a link would be, unless another link is looked at by then. */
async function askInstead(link: Pick<Correction, "from" | "to">): Promise<void> {
  const before = state.answer.value;
  const found = await worker.call("instead", state.corrections.value, link).catch(() => null);
  const looked = present();
  const isSame = looked !== null && state.keyOf(looked) === state.keyOf(link) && state.answer.value === before;
  if (isSame) state.instead.value = found;
}

/** The next link of the list that is not judged. */
export function next(): void {
  const list = state.doubtful.value;
  const isOpen = (n: number) => !state.judged.value.has(state.keyOf(list[n]));
  for (let step = 1; step <= list.length; step++) {
    const place = (state.cursor.value + step) % list.length;
    if (isOpen(place)) {
      goTo(place);
      return;
    }
  }
}

/** Calls what is looked at right or wrong, and solves again with that. */
export async function judge(verdict: "right" | "wrong"): Promise<void> {
  const item = present();
  if (item === null || state.busy.value !== null) return;
  const { kind, from, to } = item;
  if (kind === "link") await say({ kind: verdict === "right" ? "required" : "forbidden", from, to });
  else if (verdict === "right") await say({ kind, from, to });
  else
    state.message.value = {
      text: `A wrong ${kind} has a link that is missing: choose a detection, press c, and click the other one.`,
      isError: false,
    };
}

const say = (judgement: state.Judgement) => keepTo([...state.judgements.value, judgement]);

export async function undo(): Promise<void> {
  if (state.judgements.value.length > 0) await keepTo(state.judgements.value.slice(0, -1));
}

/** Begins a link from the chosen track's detection in this frame, or its last one before. */
export function join(): void {
  const [answer, track] = [state.answer.value, state.selected.value];
  if (answer === null || track === null || state.scene.value?.canSolve !== true) return;
  let found = answer.track.indexOf(track);
  for (let d = found; d >= 0 && state.frameOf.value[d] <= state.frame.value; d = answer.next[d]) found = d;
  batch(() => {
    state.joining.value = found;
    state.message.value = {
      text: "Go to a later frame, and click the detection that follows. Escape ends this.",
      isError: false,
    };
  });
}

/** Ends a link at a detection. */
export async function joinTo(detection: number): Promise<void> {
  const from = state.joining.value;
  state.joining.value = null;
  if (from !== null) await say({ kind: "required", from, to: detection });
}

async function keepTo(judgements: readonly state.Judgement[]): Promise<void> {
  const before = state.judgements.value;
  const corrections = (list: readonly state.Judgement[]) =>
    list.filter(({ kind }) => kind === "required" || kind === "forbidden") as Correction[];
  const list = corrections(judgements);
  const answer =
    list.length === corrections(before).length
      ? state.answer.value
      : await during("Solving again", () => worker.call("correct", list));
  if (answer === null) return;
  batch(() => {
    state.judgements.value = judgements;
    state.answer.value = answer;
    state.instead.value = null;
    state.cursor.value = Math.min(state.cursor.value, answer.doubtful.length - 1) - 1;
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

/** The next frame that a wrong link enters, after the last one the first, and one of these links. */
export function nextError(): void {
  const wrong = state.answer.value?.wrong ?? [];
  if (wrong.length === 0) return;
  const links = Array.from({ length: wrong.length / 2 }, (_, n) => ({ from: wrong[2 * n], to: wrong[2 * n + 1] }));
  const frameOf = ({ to }: { readonly to: number }) => state.frameOf.value[to];
  const later = links.filter((link) => frameOf(link) > state.frame.value);
  const { from, to } = (later.length > 0 ? later : links).reduce((a, b) => (frameOf(b) < frameOf(a) ? b : a));
  state.truth.value = "errors";
  lookAt(from, to);
}

export function letGo(): void {
  state.selected.value = null;
  state.joining.value = null;
}

/** Pixels that a link has at least when it is looked at, unless that needs a greater enlargement of the whole recording than this. */
const LEAST_LENGTH = 40;
const ENLARGED = 6;

/** Shows the frame of a detection with a link to it, or itself, in the middle, and large enough. */
export function lookAt(from: number, to = from): void {
  const scene = state.scene.value;
  if (scene === null) return;
  const { x, y } = scene;
  const enough = LEAST_LENGTH / Math.hypot(x[to] - x[from], y[to] - y[from]);
  const scale = Math.max(state.camera.value.scale, Math.min(enough, ENLARGED * (whole()?.scale ?? 0)));
  batch(() => {
    state.showFrame(state.frameOf.value[to]);
    state.camera.value = { x: (x[from] + x[to]) / 2, y: (y[from] + y[to]) / 2, scale };
  });
}

/** The view of the whole recording; null before there is one. */
function whole(): Camera | null {
  const scene = state.scene.value;
  const { clientWidth = 0, clientHeight: height = 0 } = document.getElementById("picture") ?? {};
  if (scene === null || clientWidth === 0) return null;
  const width = state.truth.value === "beside" ? clientWidth / 2 : clientWidth;
  const [x0, x1] = range(scene.x);
  const [y0, y1] = range(scene.y);
  const scale = 0.94 * Math.min(width / (x1 - x0 || 1), height / (y1 - y0 || 1));
  return { x: (x0 + x1) / 2, y: (y0 + y1) / 2, scale };
}

export function showWhole(): void {
  state.camera.value = whole() ?? state.camera.value;
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
  const up = isDown.value ? -1 : 1;
  state.camera.value = { x: x - dx / scale, y: y + (up * dy) / scale, scale };
}
