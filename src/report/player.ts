/** The part of the DOM that the player uses, since src is compiled without the browser's types. */
interface Part {
  textContent: string | null;
  value: string;
  readonly checked: boolean;
  readonly tagName: string;
  readonly dataset: Readonly<Record<string, string>>;
  querySelector(selector: string): Part;
  querySelectorAll(selector: string): Iterable<Part>;
  getAttribute(name: string): string;
  setAttribute(name: string, value: string): void;
  addEventListener(type: string, listener: (event: KeyPress) => void): void;
}

interface KeyPress {
  readonly key: string;
  readonly target: Part;
  preventDefault(): void;
}

/**
 * Steps through the tracks of one view. The report embeds the text of this function in the page, so it uses nothing from
 * outside it but what a browser has. `view` holds the arrays of encodeScene as base64 in its data attributes.
 */
export function playTracks(view: Part): void {
  const bytes = (name: string) => Uint8Array.from(atob(view.dataset[name]), (c) => c.charCodeAt(0)).buffer;
  const start = new Uint32Array(bytes("start"));
  const x = new Uint16Array(bytes("x"));
  const y = new Uint16Array(bytes("y"));
  const track = new Int32Array(bytes("track"));
  const wrong = new Uint32Array(bytes("wrong"));
  const missed = new Uint32Array(bytes("missed"));
  const unproved = new Uint32Array(bytes("unproved"));
  const [first, each] = [Number(view.dataset.first), Number(view.dataset.step)];
  const frames = start.length - 1;
  const tail = 10;
  const colours = 8;
  const slider = view.querySelector("input[type=range]");
  const whole = view.querySelector(".whole");
  const zoom = view.querySelector(".zoom");
  const plane = view.querySelector(".plane");
  const wide = plane.getAttribute("viewBox");
  const status = view.querySelector("output");
  const frameOf = new Uint32Array(x.length);
  for (let p = 0; p < frames; p++) frameOf.fill(p, start[p], start[p + 1]);

  const next = new Int32Array(x.length).fill(-1);
  const seen = new Map<number, number>();
  for (let d = 0; d < x.length; d++) {
    const before = track[d] < 0 ? undefined : seen.get(track[d]);
    if (before !== undefined && frameOf[before] + 1 === frameOf[d]) next[before] = d;
    seen.set(track[d], d);
  }
  const segment = (from: number, to: number) => `M${x[from]} ${y[from]}L${x[to]} ${y[to]}`;
  const draw = (selector: string, data: string) => view.querySelector(selector).setAttribute("d", data || "M0 0");
  const pairs = (links: Uint32Array, wanted: (step: number) => boolean) => {
    let data = "";
    for (let n = 0; n < links.length; n += 2) {
      if (wanted(frameOf[links[n + 1]])) data += segment(links[n], links[n + 1]);
    }
    return data;
  };
  const background = Array.from(next, (to, from) => (to < 0 ? "" : segment(from, to))).join("");

  let shown = -1;
  /** The detections of the frame and of the one before, with room around them, in the shape of the whole. */
  const zoomed = () => {
    const [from, to] = [start[Math.max(0, shown - 1)], start[shown + 1]];
    if (!zoom.checked || from === to) {
      plane.setAttribute("viewBox", wide);
      return;
    }
    const [, , width, height] = wide.split(" ").map(Number);
    let [x0, x1, y0, y1] = [Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY, 0];
    for (let d = from; d < to; d++) {
      [x0, x1, y0, y1] = [Math.min(x0, x[d]), Math.max(x1, x[d]), Math.min(y0, y[d]), Math.max(y1, y[d])];
    }
    const part = Math.min(1, 1.1 * Math.max((x1 - x0) / width, (y1 - y0) / height, 0.02));
    const [w, h] = [part * width, part * height];
    plane.setAttribute("viewBox", `${(x0 + x1 - w) / 2} ${(y0 + y1 - h) / 2} ${w} ${h}`);
  };
  const show = (frame: number) => {
    const p = Math.min(frames - 1, Math.max(0, frame));
    if (p === shown) return;
    shown = p;
    slider.value = String(p);
    const lines = new Array<string>(colours).fill("");
    const dots = new Array<string>(colours).fill("");
    let loose = "";
    for (let d = start[Math.max(0, p - tail)]; d < start[p]; d++) {
      if (next[d] >= 0) lines[track[d] % colours] += segment(d, next[d]);
    }
    for (let d = start[p]; d < start[p + 1]; d++) {
      if (track[d] < 0) loose += `M${x[d]} ${y[d]}h0`;
      else dots[track[d] % colours] += `M${x[d]} ${y[d]}h0`;
    }
    for (let c = 0; c < colours; c++) {
      draw(`.line${c}`, lines[c]);
      draw(`.dot${c}`, dots[c]);
    }
    draw(".loose", loose);
    draw(
      ".unproved",
      pairs(unproved, (step) => step > p - tail && step <= p),
    );
    draw(
      ".wrong.past",
      pairs(wrong, (step) => step < p),
    );
    draw(
      ".wrong.now",
      pairs(wrong, (step) => step === p),
    );
    draw(
      ".missed",
      pairs(missed, (step) => step === p),
    );
    const count = (step: (one: number) => boolean) => {
      let sum = 0;
      for (let n = 1; n < wrong.length; n += 2) if (step(frameOf[wrong[n]])) sum++;
      return sum;
    };
    const errors = view.dataset.truth
      ? `: ${count((one) => one === p)} wrong links into it, ${count((one) => one <= p)} so far of ${wrong.length / 2}`
      : "";
    zoomed();
    status.textContent = `frame ${first + each * p} (${p + 1} of ${frames})${errors}`;
  };
  const showWhole = () => draw(".background", whole.checked ? background : "");
  const toError = () => {
    const ahead = Array.from({ length: wrong.length / 2 }, (_, n) => frameOf[wrong[2 * n + 1]]).sort((a, b) => a - b);
    if (ahead.length > 0) show(ahead.find((p) => p > shown) ?? ahead[0]);
  };

  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    view.querySelector("[data-do=play]").textContent = "Play";
  };
  const play = () => {
    if (timer !== undefined) {
      stop();
      return;
    }
    if (shown === frames - 1) show(0);
    view.querySelector("[data-do=play]").textContent = "Pause";
    timer = setInterval(() => {
      show(shown + 1);
      if (shown === frames - 1) stop();
    }, 150);
  };
  const actions: Record<string, () => void> = {
    first: () => show(0),
    back: () => show(shown - 1),
    play,
    forward: () => show(shown + 1),
    last: () => show(frames - 1),
    error: toError,
  };
  const keys: Record<string, string> = {
    ArrowLeft: "back",
    ArrowRight: "forward",
    Home: "first",
    End: "last",
    e: "error",
    " ": "play",
  };
  for (const button of view.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      if (button.dataset.do !== "play") stop();
      actions[button.dataset.do]();
    });
  }
  view.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    if (action === undefined || (event.key === " " && event.target.tagName !== "FIGURE")) return;
    event.preventDefault();
    actions[action]();
  });
  slider.addEventListener("input", () => show(Number(slider.value)));
  whole.addEventListener("change", showWhole);
  zoom.addEventListener("change", zoomed);
  showWhole();
  // The last frame first: on paper it is the whole picture.
  show(frames - 1);
}
