/** What keys do, wherever the focus is but in a field that takes them itself. */
import { join, judge, letGo, next, nextError, pan, showWhole, undo, zoom } from "./actions.js";
import * as state from "./state.js";
import { play } from "./timeline.jsx";

const STEP = 40;

const KEYS: Readonly<Record<string, readonly [does: string, run: () => void]>> = {
  ArrowLeft: ["one frame back", () => state.showFrame(state.frame.value - 1)],
  ArrowRight: ["one frame on", () => state.showFrame(state.frame.value + 1)],
  Home: ["first frame", () => state.showFrame(0)],
  End: ["last frame", () => state.showFrame(Number.POSITIVE_INFINITY)],
  " ": ["play or pause", play],
  "+": ["zoom in", () => zoom(1.25)],
  "-": ["zoom out", () => zoom(0.8)],
  "0": ["the whole recording", showWhole],
  "Shift+ArrowLeft": ["move the view left", () => pan(STEP, 0)],
  "Shift+ArrowRight": ["move the view right", () => pan(-STEP, 0)],
  "Shift+ArrowUp": ["move the view up", () => pan(0, STEP)],
  "Shift+ArrowDown": ["move the view down", () => pan(0, -STEP)],
  n: ["next doubtful link", next],
  c: ["link the chosen track with another detection", join],
  e: ["next frame with a wrong link, where the truth is known", nextError],
  r: ["the link is right", () => judge("right")],
  w: ["the link is wrong", () => judge("wrong")],
  u: ["undo the last judgement", undo],
  Escape: ["let the chosen track go", letGo],
};

export const KEY_LIST = Object.entries(KEYS).map(([key, [does]]) => [key === " " ? "Space" : key, does] as const);

/** Whether a field has a use for a key: sliders for those that move them, all others but a box to tick for all. */
function takesItself(target: HTMLElement, key: string): boolean {
  if (key === "Escape" || !/^(INPUT|SELECT)$/.test(target.tagName)) return false;
  const { type } = target as HTMLInputElement;
  return type === "range" ? /^(Arrow|Home|End)/.test(key) : type !== "checkbox";
}

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const { key, shiftKey, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey || state.scene.value === null) return;
    if (takesItself(target, key)) return;
    if ((key === " " || key === "Enter") && target.tagName !== "CANVAS" && target !== document.body) return;
    const found = KEYS[shiftKey && key.startsWith("Arrow") ? `Shift+${key}` : key];
    if (found === undefined) return;
    event.preventDefault();
    found[1]();
  });
}
