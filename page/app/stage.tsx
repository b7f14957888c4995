/** The canvas, and what the mouse, fingers and the wheel do on it. */
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { byTrack, CHOSEN, colouringOf, INSTEAD } from "../view/colours.js";
import { type Mark, Picture } from "../view/picture.js";
import type { Scene } from "../worker/protocol.js";
import { joinTo, pan, range, zoom } from "./actions.js";
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
  return `Frame ${state.frameName(p)}: ${count} detections${track === null ? "" : `, track ${track} is chosen`}`;
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
      whole: state.whole.value,
      truth: state.truth.value,
      slab: slabOf(state.scene.value, state.depth.value),
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

/** The chosen track, the link in question, and what would be instead. */
function marks(): Mark[] {
  const answer = state.answer.value;
  if (answer === null) return [];
  const found: Mark[] = [];
  const track = state.selected.value;
  if (track !== null)
    found.push({ pairs: pairsOf(answer.track, answer.next, track), colour: CHOSEN, width: 3 * devicePixelRatio });
  const link = state.doubtful.value[state.cursor.value];
  const joined = state.joining.value;
  const other = state.instead.value;
  if (other !== null) found.push({ pairs: other.added, colour: INSTEAD, width: 3 * devicePixelRatio });
  if (joined !== null) found.push({ pairs: [joined, joined], colour: INSTEAD, width: 12 * devicePixelRatio });
  if (link?.kind === "link" && track === answer.track[link.from])
    found.push({ pairs: [link.from, link.to], colour: [255, 200, 40, 255], width: 6 * devicePixelRatio });
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
    if (pointers.size === 1) moved = 0;
  });
  on("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return;
    const distance = () => {
      const [a, b] = [...pointers.values()];
      return Math.hypot(a.offsetX - b.offsetX, a.offsetY - b.offsetY);
    };
    const apart = pointers.size === 2 ? distance() : 0;
    const [dx, dy] = [event.offsetX - before.offsetX, event.offsetY - before.offsetY];
    pointers.set(event.pointerId, event);
    moved += Math.abs(dx) + Math.abs(dy);
    if (pointers.size === 2) zoom(distance() / apart, placeAt(element, event));
    else pan(dx, dy);
  });
  const end = (event: PointerEvent) => {
    pointers.delete(event.pointerId);
    if (event.type === "pointerup" && pointers.size === 0 && moved < 4) choose(element, event);
  };
  on("pointerup", end);
  on("pointercancel", end);
  return () => stop.abort();
}

/** Chooses the track of the nearest detection of the frame, or none. */
function choose(element: HTMLCanvasElement, event: PointerEvent): void {
  const [scene, answer] = [state.scene.value, state.answer.value];
  if (scene === null) return;
  const place = placeAt(element, event);
  let [best, least] = [-1, REACH / state.camera.value.scale];
  for (let d = scene.frameStart[state.frame.value]; d < scene.frameStart[state.frame.value + 1]; d++) {
    const distance = Math.hypot(scene.x[d] - place.x, scene.y[d] - place.y);
    if (distance < least) [best, least] = [d, distance];
  }
  if (state.joining.value !== null && best >= 0) {
    joinTo(best);
    return;
  }
  const track = best < 0 || answer === null ? -1 : answer.track[best];
  state.selected.value = track < 0 ? null : track;
}
