import { advance, atBorder, chance, recorded, times } from "./recorded.mjs";

/** @typedef {import("./recorded.mjs").RandomStream} RandomStream */

/** A school of fish that turns together. @param {RandomStream} random */
export function fish(random, { targets = 240, frames = 15 } = {}) {
  const radius = 0.75 * Math.sqrt(targets);
  let heading = random.uniform(0, 2 * Math.PI);
  let turn = 0.1;
  let last = 0;
  return recorded(
    {
      frames,
      noise: 0.02,
      first: times(targets, () => {
        const { cos, sin } = random.direction();
        const r = radius * Math.sqrt(random.uniform(0, 1));
        return { x: r * cos, y: r * sin, vx: 0.5 * Math.cos(heading), vy: 0.5 * Math.sin(heading) };
      }),
      move: (one, frame) => {
        if (frame >= last) {
          turn += -0.1 * turn + 0.06 * random.normal();
          heading += turn;
          last = frame + 1;
        }
        one.vx += 0.5 * (0.5 * Math.cos(heading) - one.vx) + 0.09 * random.normal();
        one.vy += 0.5 * (0.5 * Math.sin(heading) - one.vy) + 0.09 * random.normal();
        advance(one, Infinity, Infinity);
        return true;
      },
    },
    random,
  );
}

/** Brownian motion of particles that stay. @param {RandomStream} random */
export function brown(random) {
  return recorded(
    {
      frames: 30,
      first: times(100, () => ({ x: random.uniform(0, 10), y: random.uniform(0, 10), vx: 0, vy: 0 })),
      move: (one) => {
        one.x += 0.2 * random.normal();
        one.y += 0.2 * random.normal();
        return true;
      },
    },
    random,
  );
}

/** Particles in the flow of four vortices, with a little turbulence. @param {RandomStream} random */
export function vortex(random) {
  const side = 16;
  const k = (2 * Math.PI) / side;
  return recorded(
    {
      frames: 20,
      noise: 0.02,
      first: times(200, () => ({ x: random.uniform(0, side), y: random.uniform(0, side), vx: 0, vy: 0 })),
      move: (one) => {
        one.vx = 0.9 * Math.sin(k * one.x) * Math.cos(k * one.y) + 0.06 * random.normal();
        one.vy = -0.9 * Math.cos(k * one.x) * Math.sin(k * one.y) + 0.06 * random.normal();
        return advance(one, side, side);
      },
    },
    random,
  );
}

/** Grains on a belt, which moves them further each frame than they are apart. @param {RandomStream} random */
export function belt(random) {
  const [width, height, step] = [30, 10, 2.1];
  const grain = (/** @type {number} */ from, /** @type {number} */ to) => ({
    x: random.uniform(from, to),
    y: random.uniform(0, height),
    vx: 0,
    vy: 0,
    slip: 0.1 * random.normal(),
  });
  return recorded(
    {
      frames: 20,
      noise: 0.02,
      first: times(150, () => grain(0, width)),
      move: (one) => {
        one.slip += -0.1 * one.slip + 0.04 * random.normal();
        one.vx = step + one.slip;
        one.vy += -0.3 * one.vy + 0.04 * random.normal();
        return advance(one, width, height);
      },
      enter: () => times(Math.round((150 * step) / width), () => grain(0, step)),
    },
    random,
  );
}

/** Tracks that begin and end anywhere, after six frames in the mean. @param {RandomStream} random */
export function brief(random) {
  const [width, height] = [20, 20];
  const spark = () => {
    const { cos, sin } = random.direction();
    const speed = random.uniform(0.1, 0.7);
    return { x: random.uniform(0, width), y: random.uniform(0, height), vx: speed * cos, vy: speed * sin };
  };
  return recorded(
    {
      frames: 60,
      noise: 0.02,
      first: times(63, spark),
      move: (one) => {
        one.vx += 0.02 * random.normal();
        one.vy += 0.02 * random.normal();
        return advance(one, width, height) && !chance(random, 1 / 6);
      },
      enter: () => times(11, spark),
    },
    random,
  );
}

/** Each target keeps its own velocity; the fastest are a hundred times as fast as the slowest. @param {RandomStream} random */
export function speeds(random) {
  const [width, height] = [18, 18];
  const pace = () => 0.03 * 100 ** random.uniform(0, 1);
  return recorded(
    {
      frames: 40,
      noise: 0.02,
      first: times(80, () => {
        const { cos, sin } = random.direction();
        const speed = pace();
        return { x: random.uniform(0, width), y: random.uniform(0, height), vx: speed * cos, vy: speed * sin };
      }),
      move: (one) => advance(one, width, height),
      enter: (all) => times(80 - all.length, () => atBorder(random, width, height, pace())),
    },
    random,
  );
}

/** Most stand, one in eight walks among them. @param {RandomStream} random */
export function statics(random) {
  return recorded(
    {
      frames: 36,
      noise: 0.02,
      first: times(120, (n) => {
        const { cos, sin } = random.direction();
        const speed = n % 8 === 0 ? random.uniform(0.2, 0.6) : 0;
        return { x: random.uniform(0, 14), y: random.uniform(0, 14), vx: speed * cos, vy: speed * sin };
      }),
      move: (one) => {
        if (one.x < 0 || one.x > 14) one.vx = -one.vx;
        if (one.y < 0 || one.y > 14) one.vy = -one.vy;
        advance(one, 14, 14);
        return true;
      },
    },
    random,
  );
}

/** Insects that fly to and fro about a light. @param {RandomStream} random */
export function swarm(random) {
  return recorded(
    {
      frames: 30,
      noise: 0.01,
      first: times(80, () => ({
        x: 3.3 * random.normal(),
        y: 3.3 * random.normal(),
        vx: 0.3 * random.normal(),
        vy: 0.3 * random.normal(),
      })),
      move: (one) => {
        one.vx += -0.01 * one.x - 0.1 * one.vx + 0.13 * random.normal();
        one.vy += -0.01 * one.y - 0.1 * one.vy + 0.13 * random.normal();
        advance(one, Infinity, Infinity);
        return true;
      },
    },
    random,
  );
}

/**
 * Colonies of cells that push about and divide, each some 22 frames after its birth.
 * @param {RandomStream} random
 * @param {import("./recorded.mjs").Mover[]} daughters is filled with those that are born, which know their mother
 */
export function dividing(random, daughters = []) {
  const cell = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ age) => ({
    x,
    y,
    vx: 0,
    vy: 0,
    age,
  });
  const ripe = () => 22 * (1 + 0.2 * random.normal());
  return recorded(
    {
      frames: 45,
      noise: 0.03,
      first: times(24, (n) => {
        const [x, y] = [8 * (n % 3), 8 * (Math.floor(n / 3) % 2)];
        return { ...cell(x + 1.5 * random.normal(), y + 1.5 * random.normal(), random.uniform(0, 20)), ripe: ripe() };
      }),
      move: (one, _, all) => {
        one.age++;
        [one.vx, one.vy] = [0.1 * random.normal(), 0.1 * random.normal()];
        for (const other of all) {
          const [dx, dy] = [one.x - other.x, one.y - other.y];
          const apart = Math.hypot(dx, dy);
          if (other === one || apart >= 1) continue;
          one.vx += (0.2 * (1 - apart) * dx) / (apart + 0.1);
          one.vy += (0.2 * (1 - apart) * dy) / (apart + 0.1);
        }
        advance(one, Infinity, Infinity);
        return one.age < one.ripe;
      },
      enter: (_, __, gone) =>
        gone.flatMap(({ x, y, id: mother }) => {
          const { cos, sin } = random.direction();
          const half = random.uniform(0.3, 0.45);
          const both = [half, -half].map((h) => ({ ...cell(x + h * cos, y + h * sin, 0), ripe: ripe(), mother }));
          daughters.push(...both);
          return both;
        }),
    },
    random,
  );
}
