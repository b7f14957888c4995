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
 * Steps through the tracks of one view. The report embeds the text of this class in the page, so it uses nothing from
 * outside it but the parts of a browser. `view` holds the arrays of encodeScene as base64 in its data attributes.
 */
export class TracksPlayer {
  readonly #frameStart: Uint32Array;
  readonly #x: Uint16Array;
  readonly #y: Uint16Array;
  readonly #track: Int32Array;
  /** Links by their two detections. */
  readonly #wrong: Uint32Array;
  readonly #missed: Uint32Array;
  readonly #unproved: Uint32Array;
  readonly #divisions: Uint32Array;
  readonly #frames: number;
  readonly #frameOf: Uint32Array;
  /** The next detection of each track, −1 at its end. */
  readonly #next: Int32Array;
  readonly #slider: Part;
  readonly #whole: Part;
  readonly #zoom: Part;
  readonly #plane: Part;
  readonly #playButton: Part;
  readonly #viewBox: string;
  #shown = -1;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly view: Part) {
    const bytes = (name: string) => Uint8Array.from(atob(view.dataset[name]), (c) => c.charCodeAt(0)).buffer;
    this.#frameStart = new Uint32Array(bytes("start"));
    [this.#x, this.#y] = [new Uint16Array(bytes("x")), new Uint16Array(bytes("y"))];
    this.#track = new Int32Array(bytes("track"));
    const links = (name: string) => new Uint32Array(bytes(name));
    [this.#wrong, this.#missed, this.#unproved] = [links("wrong"), links("missed"), links("unproved")];
    this.#divisions = links("divisions");
    this.#frames = this.#frameStart.length - 1;
    this.#frameOf = new Uint32Array(this.#x.length);
    for (let p = 0; p < this.#frames; p++) this.#frameOf.fill(p, this.#frameStart[p], this.#frameStart[p + 1]);
    this.#next = new Int32Array(this.#x.length).fill(-1);
    this.#linkTracks();
    this.#slider = view.querySelector("input[type=range]");
    [this.#whole, this.#zoom] = [view.querySelector(".whole"), view.querySelector(".zoom")];
    this.#plane = view.querySelector(".plane");
    this.#playButton = view.querySelector("[data-do=play]");
    this.#viewBox = this.#plane.getAttribute("viewBox");
    this.#listen();
    this.#showWhole();
    // The last frame first: on paper it is the whole picture.
    this.#show(this.#frames - 1);
  }

  #linkTracks(): void {
    const last = new Map<number, number>();
    for (const [d, track] of this.#track.entries()) {
      const before = track < 0 ? undefined : last.get(track);
      if (before !== undefined) this.#next[before] = d;
      last.set(track, d);
    }
  }

  #listen(): void {
    const actions: Record<string, () => void> = {
      first: () => this.#show(0),
      back: () => this.#show(this.#shown - 1),
      play: () => this.#play(),
      forward: () => this.#show(this.#shown + 1),
      last: () => this.#show(this.#frames - 1),
      error: () => this.#showNextError(),
    };
    const keys: Record<string, string> = {
      ArrowLeft: "back",
      ArrowRight: "forward",
      Home: "first",
      End: "last",
      e: "error",
      " ": "play",
    };
    for (const button of this.view.querySelectorAll("button")) {
      button.addEventListener("click", () => {
        if (button.dataset.do !== "play") this.#stop();
        actions[button.dataset.do]();
      });
    }
    this.view.addEventListener("keydown", (event) => {
      const action = keys[event.key];
      if (action === undefined || (event.key === " " && event.target.tagName !== "FIGURE")) return;
      event.preventDefault();
      actions[action]();
    });
    this.#slider.addEventListener("input", () => this.#show(Number(this.#slider.value)));
    this.#whole.addEventListener("change", () => this.#showWhole());
    this.#zoom.addEventListener("change", () => this.#showZoomed());
  }

  #segment(from: number, to: number): string {
    return `M${this.#x[from]} ${this.#y[from]}L${this.#x[to]} ${this.#y[to]}`;
  }

  #draw(selector: string, data: string): void {
    this.view.querySelector(selector).setAttribute("d", data || "M0 0");
  }

  /** Draws the links into frames that are wanted. */
  #drawLinks(selector: string, links: Uint32Array, wanted: (frame: number) => boolean): void {
    let data = "";
    for (let n = 0; n < links.length; n += 2)
      if (wanted(this.#frameOf[links[n + 1]])) data += this.#segment(links[n], links[n + 1]);
    this.#draw(selector, data);
  }

  #showWhole(): void {
    const segments = Array.from(this.#next, (to, from) => (to < 0 ? "" : this.#segment(from, to)));
    this.#draw(".background", this.#whole.checked ? segments.join("") : "");
  }

  /** Shows the detections of the frame and of the one before, with room around them, in the shape of the whole. */
  #showZoomed(): void {
    const [from, to] = [this.#frameStart[Math.max(0, this.#shown - 1)], this.#frameStart[this.#shown + 1]];
    if (!this.#zoom.checked || from === to) {
      this.#plane.setAttribute("viewBox", this.#viewBox);
      return;
    }
    const [, , width, height] = this.#viewBox.split(" ").map(Number);
    let [x0, x1, y0, y1] = [Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY, 0];
    for (let d = from; d < to; d++) {
      [x0, x1] = [Math.min(x0, this.#x[d]), Math.max(x1, this.#x[d])];
      [y0, y1] = [Math.min(y0, this.#y[d]), Math.max(y1, this.#y[d])];
    }
    const part = Math.min(1, 1.1 * Math.max((x1 - x0) / width, (y1 - y0) / height, 0.02));
    const [w, h] = [part * width, part * height];
    this.#plane.setAttribute("viewBox", `${(x0 + x1 - w) / 2} ${(y0 + y1 - h) / 2} ${w} ${h}`);
  }

  #show(frame: number): void {
    const p = Math.min(this.#frames - 1, Math.max(0, frame));
    if (p === this.#shown) return;
    this.#shown = p;
    this.#slider.value = String(p);
    /** Frames that the tail of a track spans. */
    const tail = 10;
    this.#drawTracks(p, tail);
    this.#drawLinks(".unproved", this.#unproved, (into) => into > p - tail && into <= p);
    this.#drawLinks(".divisions", this.#divisions, (into) => into > p - tail && into <= p);
    this.#drawLinks(".wrong.past", this.#wrong, (into) => into < p);
    this.#drawLinks(".wrong.now", this.#wrong, (into) => into === p);
    this.#drawLinks(".missed", this.#missed, (into) => into === p);
    this.#showZoomed();
    this.#describe(p);
  }

  #drawTracks(p: number, tail: number): void {
    const colours = 8;
    const lines = new Array<string>(colours).fill("");
    const gaps = new Array<string>(colours).fill("");
    const dots = new Array<string>(colours).fill("");
    let loose = "";
    for (let d = this.#frameStart[Math.max(0, p - tail)]; d < this.#frameStart[p]; d++) {
      const next = this.#next[d];
      // A link over missed frames is shown from the frame in which its target is seen again.
      if (next < 0 || this.#frameOf[next] > p) continue;
      (this.#frameOf[next] > this.#frameOf[d] + 1 ? gaps : lines)[this.#track[d] % colours] += this.#segment(d, next);
    }
    for (let d = this.#frameStart[p]; d < this.#frameStart[p + 1]; d++) {
      const dot = `M${this.#x[d]} ${this.#y[d]}h0`;
      if (this.#track[d] < 0) loose += dot;
      else dots[this.#track[d] % colours] += dot;
    }
    for (let c = 0; c < colours; c++) {
      this.#draw(`.line${c}`, lines[c]);
      this.#draw(`.gap${c}`, gaps[c]);
      this.#draw(`.dot${c}`, dots[c]);
    }
    this.#draw(".loose", loose);
  }

  /** Frames that wrong links enter, one for each link. */
  #framesOfErrors(): number[] {
    return Array.from({ length: this.#wrong.length / 2 }, (_, n) => this.#frameOf[this.#wrong[2 * n + 1]]);
  }

  #describe(p: number): void {
    const { first, step, truth } = this.view.dataset;
    const errors = this.#framesOfErrors();
    const [now, past] = [errors.filter((into) => into === p), errors.filter((into) => into <= p)];
    const words = `: ${now.length} wrong links into it, ${past.length} so far of ${errors.length}`;
    const frame = `frame ${Number(first) + Number(step) * p} (${p + 1} of ${this.#frames})`;
    this.view.querySelector("output").textContent = `${frame}${truth ? words : ""}`;
  }

  #showNextError(): void {
    const errors = this.#framesOfErrors().sort((a, b) => a - b);
    if (errors.length > 0) this.#show(errors.find((p) => p > this.#shown) ?? errors[0]);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#playButton.textContent = "Play";
  }

  #play(): void {
    if (this.#timer !== undefined) {
      this.#stop();
      return;
    }
    if (this.#shown === this.#frames - 1) this.#show(0);
    this.#playButton.textContent = "Pause";
    this.#timer = setInterval(() => {
      this.#show(this.#shown + 1);
      if (this.#shown === this.#frames - 1) this.#stop();
    }, 150);
  }
}
