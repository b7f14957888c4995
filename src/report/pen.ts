import type { PlotFrame } from "./plot-frame.js";

/** Stroke widths, radii and dashes in tenths of a pixel: the more detections, the finer. */
export function sizes(detections: number) {
  const scale = Math.min(1.3, Math.max(0.45, (1500 / Math.max(1, detections)) ** 0.25));
  const tenths = (pixels: number) => Math.round(10 * pixels * scale);
  return {
    line: tenths(1.3),
    dot: tenths(2),
    loose: tenths(1.4),
    ring: tenths(3.6),
    wrong: tenths(2.6),
    unproved: tenths(7),
    missed: tenths(1),
    dash: `${tenths(4)} ${tenths(3)}`,
  };
}

export type Sizes = ReturnType<typeof sizes>;

/** Writes path data in the frame's tenths of a pixel, relative where that is shorter. */
export class Pen {
  constructor(
    private readonly frame: PlotFrame,
    private readonly xs: Float64Array,
    private readonly ys: Float64Array,
  ) {}

  line(detections: readonly number[]): string {
    let [x, y] = this.at(detections[0]);
    let data = `M${x} ${y}`;
    if (detections.length === 1) return `${data}h0`;
    data += "l";
    for (let n = 1; n < detections.length; n++) {
      const [nextX, nextY] = this.at(detections[n]);
      data += `${n > 1 && nextX >= x ? " " : ""}${nextX - x}${nextY >= y ? " " : ""}${nextY - y}`;
      [x, y] = [nextX, nextY];
    }
    return data;
  }

  /** Links from links[2n] to links[2n + 1], in order of time; those that follow on each other become one line. */
  links(links: readonly number[]): string[] {
    const chains: number[][] = [];
    const endingAt = new Map<number, number[]>();
    for (let n = 0; n < links.length; n += 2) {
      let chain = endingAt.get(links[n]);
      if (chain === undefined) {
        chain = [links[n]];
        chains.push(chain);
      }
      chain.push(links[n + 1]);
      endingAt.set(links[n + 1], chain);
    }
    return chains.map((chain) => this.line(chain));
  }

  ring(detection: number, radius: number): string {
    const [x, y] = this.at(detection);
    const arc = `a${radius} ${radius} 0 1 0`;
    return `M${x - radius} ${y}${arc} ${2 * radius} 0${arc} ${-2 * radius} 0`;
  }

  /** Its place in the picture. */
  at(detection: number): [number, number] {
    return [this.frame.x(this.xs[detection]), this.frame.y(this.ys[detection])];
  }
}

export function path(data: readonly string[], attributes: string): string {
  return data.length === 0 ? "" : `<path d="${data.join("")}" ${attributes}/>`;
}

export function dotMarker(id: string, colour: string, radius: number, more = ""): string {
  const box = `viewBox="-1 -1 2 2" markerWidth="${2 * radius}" markerHeight="${2 * radius}" markerUnits="userSpaceOnUse" overflow="visible"`;
  return `<marker id="${id}" ${box}><circle r="1" fill="${colour}"${more}/></marker>`;
}
