/** What the page shows, as signals: whatever reads one is drawn anew when it changes. */
import { computed, effect, signal } from "@preact/signals";
import type { Camera } from "../view/picture.js";
import {
  type Answer,
  DEVICES,
  type Device,
  type Instead,
  type Progress,
  type Scene,
  type Simulation,
} from "../worker/protocol.js";

export const scene = signal<Scene | null>(null);
export const answer = signal<Answer | null>(null);
/** Numbers by which detections are to be drawn, until they are. */
export const asked = signal<Simulation | null>(null);
export const simulation = computed(() => asked.value ?? scene.value?.simulation ?? null);

/** Where the next solve runs. */
export const device = signal<Device>("auto");

/** The work in progress, in words; null where the worker rests. */
export const busy = signal<string | null>(null);
export const progress = signal<readonly Progress[]>([]);
/** The last error or answer, in words. */
export const message = signal<{ readonly text: string; readonly isError: boolean } | null>(null);

export const frame = signal(0);
export const playing = signal(false);
export const camera = signal<Camera>({ x: 0, y: 0, scale: 1 });
export const selected = signal<number | null>(null);
export const colouring = signal("track");
export const tail = signal(10);
export const whole = signal(true);
export const truth = signal<"none" | "errors" | "beside">("none");
/** Depth in the middle of what is shown; null for all depths. */
export const depth = signal<number | null>(null);

/** What the user has said, one after another: links that are right or wrong, and starts and ends that are right. */
export interface Judgement {
  readonly kind: "required" | "forbidden" | "start" | "end";
  readonly from: number;
  readonly to: number;
}
export const judgements = signal<readonly Judgement[]>([]);
/** The corrections among them, which a solve keeps to. */
export const corrections = computed(() =>
  judgements.value.flatMap(({ kind, from, to }) =>
    kind === "required" || kind === "forbidden" ? [{ kind, from, to }] : [],
  ),
);
/** The detection that is to be linked with the one that is clicked next. */
export const joining = signal<number | null>(null);
/** The place in the list of links. */
export const cursor = signal(-1);
/** A margin below this asks for a look. */
export const limit = signal(1);
/** What the best answer without the chosen link is. */
export const instead = signal<Instead | null>(null);

export const keyOf = ({ from, to }: { readonly from: number; readonly to: number }): string => `${from} ${to}`;

/** What has been judged, by its ends. */
export const judged = computed(
  () => new Map(judgements.value.map((one) => [keyOf(one), one.kind === "forbidden" ? "wrong" : "right"])),
);

/** The frame of each detection. */
export const frameOf = computed(() => {
  const shown = scene.value;
  if (shown === null) return new Uint32Array();
  const frames = new Uint32Array(shown.x.length);
  for (let p = 0; p < shown.frames; p++) frames.fill(p, shown.frameStart[p], shown.frameStart[p + 1]);
  return frames;
});

/** What asks for a look, the least sure first. */
export const doubtful = computed(() => answer.value?.doubtful.filter(({ margin }) => margin < limit.value) ?? []);

/** What is proved beyond the limit, what the user has called right, and what waits. */
export const counts = computed(() => {
  const given = answer.value;
  if (given === null || given.decided === 0) return null;
  const open = doubtful.value.filter((one) => !judged.value.has(keyOf(one))).length;
  const confirmed = [...judged.value.values()].filter((one) => one === "right").length;
  const proved =
    given.decided - doubtful.value.length - corrections.value.filter(({ kind }) => kind === "required").length;
  return { proved, confirmed, open };
});

export const frameName = (p: number): number => {
  const shown = scene.value;
  return shown === null ? p : shown.firstFrame + shown.frameStep * p;
};

const devices = Object.keys(DEVICES) as Device[];
const modes = ["none", "errors", "beside"] as const;

/** The address's part behind # from the state, so that a link shows the same. */
const address = computed(() => {
  const { x, y, scale } = camera.value;
  const parts: Record<string, string | number | null> = {
    frame: frameName(frame.value),
    view: [x, y, scale].map((value) => Number(value.toPrecision(6))).join(","),
    track: selected.value,
    colour: colouring.value === "track" ? null : colouring.value,
    tail: tail.value === 10 ? null : tail.value,
    whole: whole.value ? null : 0,
    truth: truth.value === "none" ? null : truth.value,
    depth: depth.value,
    device: device.value === "auto" ? null : device.value,
  };
  const given = Object.entries(parts).filter(([, value]) => value !== null);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
});

/** Sets the state from the address; what it does not name stays. */
export function readAddress(hash: string): void {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name: string): number | null => {
    const value = given.has(name) ? Number(given.get(name)) : Number.NaN;
    return Number.isFinite(value) ? value : null;
  };
  const shown = scene.value;
  const named = number("frame");
  if (shown !== null && named !== null) showFrame(Math.round((named - shown.firstFrame) / shown.frameStep));
  const [x, y, scale] = (given.get("view") ?? "").split(",").map(Number);
  if ([x, y, scale].every(Number.isFinite) && scale > 0) camera.value = { x, y, scale };
  selected.value = number("track");
  colouring.value = given.get("colour") ?? "track";
  tail.value = number("tail") ?? 10;
  whole.value = given.get("whole") !== "0";
  truth.value = modes.find((mode) => mode === given.get("truth")) ?? "none";
  depth.value = number("depth");
  device.value = devices.find((one) => one === given.get("device")) ?? "auto";
}

let written = "";
let timer: ReturnType<typeof setTimeout> | undefined;

/** Keeps the address in step, not more often than browsers allow. */
export function followAddress(): void {
  effect(() => {
    const next = address.value;
    if (scene.value === null || next === written) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      written = next;
      history.replaceState(null, "", `#${next}`);
    }, 300);
  });
  addEventListener("hashchange", () => {
    if (location.hash.slice(1) !== written) readAddress(location.hash);
  });
}

export function showFrame(p: number): void {
  const frames = scene.value?.frames ?? 1;
  frame.value = Math.min(frames - 1, Math.max(0, p));
}
