// A long recording on standard output: node lab/windows/long.mjs FRAMES TARGETS [SEED] [FIELD] > long.csv
// Targets enter a field of FIELD × FIELD [100] at its border, walk about 0.5 a frame for some 200 frames, turn a little, and leave; positions have a noise
// of 0.05. About TARGETS are in the field at a time.
import { once } from "node:events";
import { randomStreams } from "../../dist/core/random.js";

const [frames = 1000, targets = 50, seed = 1, FIELD = 100] = process.argv.slice(2).map(Number);
const STEP = 0.5;
const TURN = 0.02;
const NOISE = 0.05;

const random = randomStreams(seed).next().value;
let next = 0;

function enter() {
  const side = Math.floor(random.uniform(0, 4));
  const at = random.uniform(0, FIELD);
  const [x, y] = [
    [0, at],
    [FIELD, at],
    [at, 0],
    [at, FIELD],
  ][side];
  const inwards = [0, Math.PI, Math.PI / 2, -Math.PI / 2][side];
  return { id: next++, x, y, angle: inwards + random.uniform(-1, 1), speed: STEP * random.uniform(0.6, 1.4) };
}

/** Scattered over the field, as if the recording had gone on before. */
let walkers = Array.from({ length: targets }, () => {
  const walker = enter();
  return { ...walker, x: random.uniform(0, FIELD), y: random.uniform(0, FIELD), angle: random.uniform(0, 2 * Math.PI) };
});
process.stdout.write(`# dt=1 frames=${frames} SIMULATED=lab/windows/long.mjs\nframe,x,y,target\n`);
for (let frame = 0; frame < frames; frame++) {
  let text = "";
  for (const walker of walkers) {
    const [x, y] = [walker.x + NOISE * random.normal(), walker.y + NOISE * random.normal()];
    text += `${frame},${x.toFixed(3)},${y.toFixed(3)},${walker.id}\n`;
    walker.angle += TURN * random.normal();
    walker.x += walker.speed * Math.cos(walker.angle);
    walker.y += walker.speed * Math.sin(walker.angle);
  }
  walkers = walkers.filter(({ x, y }) => x >= 0 && x <= FIELD && y >= 0 && y <= FIELD);
  while (walkers.length < targets) walkers.push(enter());
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}
