import { advance, atBorder, chance, recorded, times } from "./recorded.mjs";

/** @typedef {import("./recorded.mjs").RandomStream} RandomStream */
/** @typedef {import("./recorded.mjs").Mover} Mover */

/**
 * Pedestrians who walk both ways through each other, 0.17 to a square metre, 2.5 frames a second.
 * @param {RandomStream} random
 */
export function crowd(random, { targets = 60, frames = 80, width = 30, height = 12 } = {}) {
  const walker = (/** @type {number} */ way, /** @type {number} */ x) => ({
    x,
    y: random.uniform(0, height),
    vx: way * 0.5 * (1 + 0.2 * random.normal()),
    vy: 0.06 * random.normal(),
    way,
    pace: 0.5 * (1 + 0.2 * random.normal()),
  });
  const side = () => (chance(random, 0.5) ? 1 : -1);
  return recorded(
    {
      frames,
      noise: 0.02,
      first: times(targets, () => walker(side(), random.uniform(0, width))),
      move: (one) => {
        one.vx += 0.2 * (one.way * one.pace - one.vx) + 0.03 * random.normal();
        one.vy += -0.2 * one.vy + 0.03 * random.normal();
        if (one.y < 0.5) one.vy += 0.03;
        if (one.y > height - 0.5) one.vy -= 0.03;
        return advance(one, width, height);
      },
      enter: (all) =>
        times(targets - all.length, () => {
          const way = side();
          return walker(way, way > 0 ? random.uniform(0, 0.5) : width - random.uniform(0, 0.5));
        }),
    },
    random,
  );
}

/** Students on a square: they stand in groups, set out, cross it and stop again. @param {RandomStream} random */
export function students(random) {
  const [width, height] = [16, 12];
  const set = (/** @type {Mover} */ one, /** @type {number} */ walking) => {
    const { cos, sin } = random.direction();
    const pace = walking * random.uniform(0.3, 0.6);
    return Object.assign(one, { walking, goX: pace * cos, goY: pace * sin });
  };
  const student = () =>
    set({ x: random.uniform(0, width), y: random.uniform(0, height), vx: 0, vy: 0 }, chance(random, 0.6) ? 1 : 0);
  return recorded(
    {
      frames: 80,
      noise: 0.02,
      first: times(44, student),
      move: (one) => {
        if (chance(random, one.walking === 1 ? 0.02 : 0.04)) set(one, 1 - one.walking);
        else if (one.walking === 1 && chance(random, 0.08)) set(one, 1);
        one.vx += 0.6 * (one.goX - one.vx) + 0.02 * random.normal();
        one.vy += 0.6 * (one.goY - one.vy) + 0.02 * random.normal();
        return advance(one, width, height);
      },
      enter: (all) =>
        times(Math.min(2, 44 - all.length), () => {
          const one = atBorder(random, width, height, random.uniform(0.3, 0.6));
          return { ...one, walking: 1, goX: one.vx, goY: one.vy };
        }),
    },
    random,
  );
}

/** Ships, slow for their distances, some moored, most in two lanes; a third of them is not seen for two or three frames now and then. @param {RandomStream} random */
export function ships(random) {
  const [width, height] = [400, 200];
  const ship = (/** @type {boolean} */ enters) => {
    const lane = chance(random, 0.5) ? 1 : -1;
    const x = enters ? (lane > 0 ? 0 : width) : random.uniform(0, width);
    const moored = !enters && chance(random, 0.2);
    const speed = moored ? 0 : random.uniform(2, 6);
    const seen = { blind: chance(random, 0.33) ? 0.04 : 0, until: -1 };
    return {
      x,
      y: height / 2 + 25 * lane + 14 * random.normal(),
      vx: lane * speed,
      vy: 0.1 * speed * random.normal(),
      ...seen,
    };
  };
  return recorded(
    {
      frames: 60,
      noise: 0.3,
      first: times(75, () => ship(false)),
      move: (one) => advance(one, width, height),
      enter: (all) => times(75 - all.length, () => ship(true)),
      hidden: (one, frame) => {
        if (frame > one.until + 5 && chance(random, one.blind)) one.until = frame + (chance(random, 0.5) ? 2 : 1);
        return frame <= one.until;
      },
    },
    random,
  );
}

/** Cars in three lanes each way, seen from above: each keeps its distance, and a light stops one direction now and then. @param {RandomStream} random */
export function traffic(random, { targets = 45, frames = 80, length = 170 } = {}) {
  const LANES = 6;
  const way = (/** @type {number} */ lane) => (lane < LANES / 2 ? 1 : -1);
  /** Distance driven from the lane's begin, pace and lane; x, y follow. */
  const car = (/** @type {number} */ lane, /** @type {number} */ along) => {
    const pace = random.uniform(8, 14) + 2 * (lane % 3);
    return place({ x: 0, y: 0, vx: pace, vy: 0, lane, along, pace, off: 0.3 * random.normal() });
  };
  const place = (/** @type {Mover} */ one) => {
    one.x = way(one.lane) > 0 ? one.along : length - one.along;
    one.y = 3.5 * one.lane + (one.lane >= LANES / 2 ? 3 : 0) + one.off;
    return one;
  };
  const first = times(targets, (n) =>
    car(n % LANES, (length * (Math.floor(n / LANES) + random.uniform(0, 0.6))) / (targets / LANES)),
  );
  return recorded(
    {
      frames,
      noise: 0.1,
      first,
      move: (one, frame, all) => {
        let room = Infinity;
        for (const other of all) {
          if (other !== one && other.lane === one.lane && other.along > one.along)
            room = Math.min(room, other.along - one.along);
        }
        const red = frame % 50 < 22 && way(one.lane) > 0;
        if (red && one.along < 0.6 * length) room = Math.min(room, 0.6 * length - one.along + 4);
        const wanted = Math.min(one.pace, Math.max(0, 0.5 * (room - 6)));
        one.vx += Math.max(-6, Math.min(1.6, wanted - one.vx)) + (wanted > 0.5 ? 0.4 * random.normal() : 0);
        one.vx = Math.max(0, Math.min(one.vx, room - 4));
        one.along += one.vx;
        one.off += 0.03 * (one.vx > 0.5 ? random.normal() : 0) - 0.02 * one.off;
        place(one);
        return one.along <= length;
      },
      enter: (all) => {
        const free = [...Array(LANES).keys()].filter((lane) => !all.some((one) => one.lane === lane && one.along < 12));
        return times(Math.min(free.length, targets - all.length), (n) => car(free[n], random.uniform(0, 5)));
      },
    },
    random,
  );
}

/** Two teams of eleven that run, stop and turn about a ball. @param {RandomStream} random */
export function football(random) {
  let ball = { x: 50, y: 32, vx: 0, vy: 0 };
  let last = 0;
  const player = (/** @type {number} */ n) => ({
    x: 50 + (n < 11 ? -2 : 2) + 2 * random.normal(),
    y: 32 + 2.5 * ((n % 11) - 5) + 0.5 * random.normal(),
    vx: 0,
    vy: 0,
    goX: 50,
    goY: 32,
  });
  return recorded(
    {
      frames: 130,
      noise: 0.05,
      first: times(22, player),
      move: (one, frame) => {
        if (frame >= last) {
          if (chance(random, 0.08)) ball = { ...ball, vx: 0.8 * random.normal(), vy: 0.5 * random.normal() };
          ball.x = Math.max(10, Math.min(90, ball.x + ball.vx));
          ball.y = Math.max(8, Math.min(56, ball.y + ball.vy));
          last = frame + 1;
        }
        if (frame === 0 || chance(random, 0.14)) {
          [one.goX, one.goY] = [ball.x + 5 * random.normal(), ball.y + 4 * random.normal()];
        }
        const [dx, dy] = [one.goX - one.x, one.goY - one.y];
        const far = Math.hypot(dx, dy);
        const pace = Math.min(0.25 * far, 0.9);
        one.vx += 0.5 * ((pace * dx) / (far + 1e-9) - one.vx) + 0.06 * random.normal();
        one.vy += 0.5 * ((pace * dy) / (far + 1e-9) - one.vy) + 0.06 * random.normal();
        advance(one, Infinity, Infinity);
        return true;
      },
    },
    random,
  );
}
