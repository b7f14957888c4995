import { uniform } from "../lap/support.js";

export interface SceneOptions {
  readonly seed?: number;
  readonly frames?: number;
  readonly objects?: number;
  /** Uniform, up to this in both directions. */
  readonly jitter?: number;
}

/** Points on a conveyor of width 10 that moves by 1.3 a frame from x = 0 to 20, each with a speed of its own: rows frame, x, y, target. */
export function belt({ seed = 1, frames = 40, objects = 200, jitter = 0 }: SceneOptions = {}): number[][] {
  const random = uniform(seed);
  const born = Array.from({ length: objects }, () => ({
    time: -20 + (frames + 20) * random(),
    y: 10 * random(),
    vx: 1.3 + 0.04 * (random() - 0.5),
    vy: 0.03 * (random() - 0.5),
  }));
  const rows: number[][] = [];
  for (let frame = 0; frame < frames; frame++) {
    born.forEach(({ time, y, vx, vy }, target) => {
      const age = frame - time;
      const x = vx * age;
      if (age < 0 || x > 20) return;
      rows.push([frame, x + jitter * (2 * random() - 1), y + vy * age + jitter * (2 * random() - 1), target]);
    });
  }
  return rows;
}

export function csv(rows: readonly (readonly number[])[], comment = "# dt=0.005 units=m"): string {
  return `${comment}\nframe,x,y,target\n${rows.map((row) => row.join(",")).join("\n")}\n`;
}
