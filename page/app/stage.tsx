/** The canvas, and what the mouse, fingers and the wheel do on it. */
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { byTrack, colouringOf, INSTEAD, type Rgba } from "../view/colours.js";
import { type Mark, Picture } from "../view/picture.js";
import { range } from "../view/range.js";
import type { Scene } from "../worker/protocol.js";
import { joinTo, pan, zoom } from "./actions.js";
import { image, isDown } from "./images.js";
import * as state from "./state.js";

/** Pixels from a detection at which a click still means it. */
const REACH = 14;
/** A depth shows what is within this share of the recording's depth around it. */
const SLAB = 0.05;

const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export function Stage() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current as HTMLCanvasElement;
    const stops: (() => void)[] = [];
    try {
      stops.push(...present(element));
    } catch (error) {
      state.message.value = { text: (error as Error).message, isError: true };
    }
    stops.push(listen(element));
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  const label = description();
  return <canvas ref={canvas} id="picture" tabIndex={0} role="img" aria-label={label} />;
}

/** What the picture shows, for those who do not see it. */
function description(): string {
  const scene = state.scene.value;
  if (scene === null) return "No recording yet";
  const p = state.frame.value;
  const count = scene.frameStart[p + 1] - scene.frameStart[p];
  const track = state.selected.value;
  const under = image.value === null ? "" : `, over an image of ${image.value.size.join(" × ")} pixels`;
  return `Frame ${state.frameName(p)}: ${count} detections${under}${track === null ? "" : `, track ${track} is chosen`}`;
}

/** Has the picture follow the state; returns what ends it. */
function present(element: HTMLCanvasElement): (() => void)[] {
  const picture = new Picture(element);
  let asked = 0;
  const draw = () => {
    asked = 0;
    picture.draw({
      frame: state.frame.value,
      tail: state.tail.value,
      camera: scaled(),
      ratio: devicePixelRatio,
      whole: state.whole.value,
      truth: state.truth.value,
      slab: slabOf(state.scene.value, state.depth.value),
      halo: halo(),
      marks: marks(),
      rings: rings(),
      isDown: isDown.value,
      dark: prefersDark.matches,
    });
  };
  const ask = () => {
    if (asked === 0) asked = requestAnimationFrame(draw);
  };
  const resize = new ResizeObserver(() => {
    const { clientWidth, clientHeight } = element;
    [element.width, element.height] = [clientWidth * devicePixelRatio, clientHeight * devicePixelRatio];
    ask();
  });
  resize.observe(element);
  prefersDark.addEventListener("change", ask);
  return [
    effect(() => {
      const scene = state.scene.value;
      if (scene === null) return;
      picture.setScene(scene, [middle(scene.x), middle(scene.y)]);
    }),
    effect(() => {
      const [scene, answer] = [state.scene.value, state.answer.value];
      if (scene === null) return;
      const colouring = colouringOf(state.colouring.value, scene, answer);
      if (answer !== null) picture.setAnswer(answer, colouring);
      picture.colour(colouring);
      if (scene.target !== null) picture.setTruth(nextOf(scene.target), byTrack(scene.target));
    }),
    effect(() => {
      const shown = image.value;
      picture.setImage(shown?.bitmap ?? null, shown?.size);
      ask();
    }),
    effect(() => {
      // Whatever the picture shows is named here, so that a change of it asks for a new one.
      for (const part of [state.scene, state.answer, state.frame, state.tail, state.camera, state.whole, state.truth])
        part.value;
      for (const part of [
        state.depth,
        state.selected,
        state.colouring,
        state.cursor,
        state.instead,
        state.limit,
        state.joining,
      ])
        part.value;
      ask();
    }),
    () => resize.disconnect(),
  ];
}

const middle = (values: Float64Array): number => {
  const [least, most] = range(values);
  return Number.isFinite(least) ? (least + most) / 2 : 0;
};

/** The camera in pixels of the device. */
function scaled() {
  const { x, y, scale } = state.camera.value;
  return { x, y, scale: scale * devicePixelRatio };
}

function slabOf(scene: Scene | null, depth: number | null): readonly [number, number] {
  if (scene === null || scene.z === null || depth === null) return [-1e30, 1e30];
  const [least, most] = range(scene.z);
  const half = SLAB * (most - least);
  return [depth - half, depth + half];
}

/** The whole chosen track, to be seen on both sides of its tail, which keeps its colours. */
function halo(): Mark[] {
  const [answer, track] = [state.answer.value, state.selected.value];
  if (answer === null || track === null) return [];
  const colour: Rgba = prefersDark.matches ? [235, 235, 235, 255] : [30, 30, 30, 255];
  return [{ pairs: pairsOf(answer.track, answer.next, track), colour, width: 4 }];
}

/** The link in question, and what would be instead. */
function marks(): Mark[] {
  const [answer, track] = [state.answer.value, state.selected.value];
  if (answer === null) return [];
  const found: Mark[] = [];
  const link = state.doubtful.value[state.cursor.value];
  const joined = state.joining.value;
  const other = state.instead.value;
  if (other !== null) found.push({ pairs: other.added, colour: INSTEAD, width: 3 });
  if (joined !== null) found.push({ pairs: [joined, joined], colour: INSTEAD, width: 12 });
  if (link?.kind === "link" && track === answer.track[link.from])
    found.push({ pairs: [link.from, link.to], colour: [255, 200, 40, 255], width: 6 });
  return found;
}

function pairsOf(track: Int32Array, next: Int32Array, chosen: number): number[] {
  const pairs: number[] = [];
  for (let d = track.indexOf(chosen); d >= 0 && next[d] >= 0; d = next[d]) pairs.push(d, next[d]);
  return pairs;
}

/** The detections of the chosen track and of the link in question in this frame. */
function rings(): number[] {
  const [scene, answer, track] = [state.scene.value, state.answer.value, state.selected.value];
  if (scene === null || answer === null || track === null) return [];
  const [first, last] = [scene.frameStart[state.frame.value], scene.frameStart[state.frame.value + 1]];
  const at = answer.track.subarray(first, last).indexOf(track);
  return at < 0 ? [] : [first + at];
}

function nextOf(target: Int32Array): Int32Array {
  const next = new Int32Array(target.length).fill(-1);
  const last = new Map<number, number>();
  target.forEach((one, d) => {
    if (one < 0) return;
    const before = last.get(one);
    if (before !== undefined) next[before] = d;
    last.set(one, d);
  });
  return next;
}

/** The place of the recording under a point of the canvas. */
function placeAt(element: HTMLCanvasElement, { offsetX, offsetY }: { offsetX: number; offsetY: number }) {
  const { x, y, scale } = state.camera.value;
  const up = isDown.value ? 1 : -1;
  const half = state.truth.value === "beside" ? element.clientWidth / 4 : element.clientWidth / 2;
  const across = state.truth.value === "beside" ? offsetX % (element.clientWidth / 2) : offsetX;
  return { x: x + (across - half) / scale, y: y + (up * (offsetY - element.clientHeight / 2)) / scale };
}

/** The middle of what points at the canvas, and how far two of it are apart. */
function span(pointers: Iterable<PointerEvent>) {
  const [a, b = a] = pointers;
  return {
    offsetX: (a.offsetX + b.offsetX) / 2,
    offsetY: (a.offsetY + b.offsetY) / 2,
    apart: Math.hypot(a.offsetX - b.offsetX, a.offsetY - b.offsetY),
  };
}

function listen(element: HTMLCanvasElement): () => void {
  const pointers = new Map<number, PointerEvent>();
  let moved = 0;
  const stop = new AbortController();
  const on = <Type extends keyof HTMLElementEventMap>(
    type: Type,
    listener: (event: HTMLElementEventMap[Type]) => void,
  ) => element.addEventListener(type, listener, { signal: stop.signal, passive: false });
  on("wheel", (event) => {
    event.preventDefault();
    zoom(1.0015 ** -event.deltaY, placeAt(element, event));
  });
  on("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event);
    moved = pointers.size === 1 ? 0 : Number.POSITIVE_INFINITY;
  });
  on("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    const before = span(pointers.values());
    pointers.set(event.pointerId, event);
    const after = span(pointers.values());
    const [dx, dy] = [after.offsetX - before.offsetX, after.offsetY - before.offsetY];
    moved += Math.hypot(dx, dy);
    pan(dx, dy);
    // What is under two fingers stays under them.
    if (before.apart > 0) zoom(after.apart / before.apart, placeAt(element, after));
  });
  const end = (event: PointerEvent) => {
    pointers.delete(event.pointerId);
    if (event.type === "pointerup" && pointers.size === 0 && moved < REACH / 2) choose(element, event);
  };
  on("pointerup", end);
  on("pointercancel", end);
  return () => stop.abort();
}

/** Chooses the track that is drawn at a point: of the nearest detection of the frame, else of the nearest link of the tail. */
function choose(element: HTMLCanvasElement, event: PointerEvent): void {
  const [scene, answer, p] = [state.scene.value, state.answer.value, state.frame.value];
  if (scene === null) return;
  const place = placeAt(element, event);
  const [low, high] = slabOf(scene, state.depth.value);
  const nearest = (from: number, distanceTo: (d: number) => number): number => {
    let [best, least] = [-1, REACH / state.camera.value.scale];
    for (let d = scene.frameStart[Math.max(0, from)]; d < scene.frameStart[p + 1]; d++) {
      const distance = scene.z === null || (scene.z[d] >= low && scene.z[d] <= high) ? distanceTo(d) : least;
      if (distance < least) [best, least] = [d, distance];
    }
    return best;
  };
  const detection = nearest(p, (d) => Math.hypot(scene.x[d] - place.x, scene.y[d] - place.y));
  if (state.joining.value !== null && detection >= 0) {
    joinTo(detection);
    return;
  }
  if (answer === null) return;
  const last = scene.frameStart[p + 1];
  const drawn = (d: number) => answer.next[d] >= 0 && answer.next[d] < last;
  const link = nearest(p - state.tail.value, (d) => (drawn(d) ? toLink(place, scene, d, answer.next[d]) : Infinity));
  const track = answer.track[detection >= 0 ? detection : link] ?? -1;
  state.selected.value = track < 0 ? null : track;
  // Once what is told of the track is there.
  requestAnimationFrame(() => document.getElementById("chosen")?.scrollIntoView({ block: "nearest" }));
}

/** From a place to the line between two detections. */
function toLink(place: { readonly x: number; readonly y: number }, { x, y }: Scene, from: number, to: number): number {
  const [dx, dy] = [x[to] - x[from], y[to] - y[from]];
  const along = ((place.x - x[from]) * dx + (place.y - y[from]) * dy) / (dx * dx + dy * dy || 1);
  const part = Math.min(1, Math.max(0, along));
  return Math.hypot(x[from] + part * dx - place.x, y[from] + part * dy - place.y);
}
