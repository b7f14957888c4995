/** Frames: play, step, slide. */
import { effect } from "@preact/signals";
import * as state from "./state.js";

/** Frames a second while playing; slower for those who prefer less motion. */
const RATE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 3 : 12;

export function play(): void {
  const last = (state.scene.value?.frames ?? 1) - 1;
  if (!state.playing.value && state.frame.value === last) state.showFrame(0);
  state.playing.value = !state.playing.value;
}

export function followPlay(): void {
  effect(() => {
    if (!state.playing.value) return;
    const timer = setInterval(() => {
      const last = (state.scene.value?.frames ?? 1) - 1;
      if (state.frame.value >= last) state.playing.value = false;
      else state.showFrame(state.frame.value + 1);
    }, 1000 / RATE);
    return () => clearInterval(timer);
  });
}

export function Timeline() {
  const scene = state.scene.value;
  if (scene === null) return null;
  const p = state.frame.value;
  return (
    <div class="timeline">
      <button type="button" onClick={play} aria-pressed={state.playing.value} title="play or pause (space)">
        {state.playing.value ? "Pause" : "Play"}
      </button>
      <button type="button" onClick={() => state.showFrame(p - 1)} aria-label="one frame back" title="left arrow">
        ‹
      </button>
      <input
        type="range"
        aria-label="frame"
        min={0}
        max={scene.frames - 1}
        value={p}
        onInput={({ currentTarget }) => state.showFrame(Number(currentTarget.value))}
      />
      <button type="button" onClick={() => state.showFrame(p + 1)} aria-label="one frame on" title="right arrow">
        ›
      </button>
      <output>
        frame {state.frameName(p)}{" "}
        <small>
          ({p + 1} of {scene.frames})
        </small>
      </output>
    </div>
  );
}
