import { randomStreams } from "../../../src/core/random.js";

/** A cell so long that a recording is read in several pieces. */
const LONG = "-".repeat(200);

/** Twelve targets that wander, of whose detections one in sixteen is missing, so that links over gaps are chosen. */
export function wandering(frames: number): string {
  const [random] = randomStreams(3);
  const targets = Array.from({ length: 12 }, (_, n) => ({ x: 9 * (n % 4), y: 9 * Math.floor(n / 4), vx: 0.3, vy: 0 }));
  const rows: string[] = [];
  for (let p = 0; p < frames; p++) {
    for (const target of targets) {
      target.vx = 0.9 * target.vx + 0.2 * random.normal();
      target.vy = 0.9 * target.vy + 0.2 * random.normal();
      target.x += target.vx;
      target.y += target.vy;
      if (random.uniform(0, 16) > 1) rows.push(`${p},${target.x.toFixed(4)},${target.y.toFixed(4)},${LONG}`);
    }
  }
  return `# dt=1\nframe,x,y,note\n${rows.join("\n")}\n`;
}
