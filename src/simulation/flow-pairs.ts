/** Image pairs whose flow is known exactly: a texture that is a sum of waves, seen before and after a motion. */
import type { FlowField } from "../core/flow-field.js";

export const FLOW_CASES = ["shift", "turn", "swirl", "layers"] as const;
/**
 * shift: (3.3, −1.7) everywhere. turn: by 3° and × 1.02 about the centre. swirl: 6 px at most, period 160 px, with curl in every
 * cell. layers: a disc moves over a ground that moves otherwise, and hides some of it.
 */
export type FlowCase = (typeof FLOW_CASES)[number];

export interface FlowPair {
  readonly width: number;
  readonly height: number;
  /** Grey values of 8 bits, row by row. */
  readonly first: Uint8Array;
  readonly second: Uint8Array;
  readonly truth: FlowField;
}

const WAVES = 96;
const LOWEST = 0.004;
const HIGHEST = 0.16;
const CONTRAST = 40;
const DISC_RADIUS = 60;
/** Added to the seed for the disc's texture. */
const DISC_SEED = 1000;

type Texture = (x: number, y: number) => number;

/**
 * The pair of a case: second = T and first(x) = T(x + u(x)), rounded to 8 bits, so that the flow of first is exactly u. The same seed gives the
 * same pair; the generator (mulberry32) and the order of its draws are part of the definition.
 */
export function makeFlowPair(flowCase: FlowCase, seed: number, width = 320, height = 240): FlowPair {
  const texture = makeTexture(seed);
  const first = new Uint8Array(width * height);
  const second = new Uint8Array(width * height);
  const truth = { width, height, u: new Float32Array(first.length), v: new Float32Array(first.length) };
  const paint =
    flowCase === "layers" ? layers(texture, makeTexture(seed + DISC_SEED)) : moved(texture, MOTIONS[flowCase]);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const pixel = paint(x, y, (width - 1) / 2, (height - 1) / 2);
      first[i] = grey(pixel.first);
      second[i] = grey(pixel.second);
      [truth.u[i], truth.v[i]] = pixel.motion;
    }
  }
  return { width, height, first, second, truth };
}

type Motion = (x: number, y: number, centreX: number, centreY: number) => readonly [number, number];
type Painter = (...at: Parameters<Motion>) => {
  readonly first: number;
  readonly second: number;
  readonly motion: readonly [number, number];
};

const TURN = (3 * Math.PI) / 180;
const SCALE = 1.02;
const SWIRL = (2 * Math.PI) / 160;

const MOTIONS: Readonly<Record<Exclude<FlowCase, "layers">, Motion>> = {
  shift: () => [3.3, -1.7],
  turn: (x, y, centreX, centreY) => {
    const [dx, dy] = [x - centreX, y - centreY];
    return [
      SCALE * (Math.cos(TURN) * dx - Math.sin(TURN) * dy) - dx,
      SCALE * (Math.sin(TURN) * dx + Math.cos(TURN) * dy) - dy,
    ];
  },
  swirl: (x, y) => [6 * Math.sin(SWIRL * x) * Math.cos(SWIRL * y), -6 * Math.cos(SWIRL * x) * Math.sin(SWIRL * y)],
};

function moved(texture: Texture, motionAt: Motion): Painter {
  return (x, y, centreX, centreY) => {
    const motion = motionAt(x, y, centreX, centreY);
    return { first: texture(x + motion[0], y + motion[1]), second: texture(x, y), motion };
  };
}

/** The disc moves by (4, −2) and the ground by (−1.5, 1). */
function layers(ground: Texture, disc: Texture): Painter {
  return (x, y, centreX, centreY) => {
    const inDisc = (px: number, py: number) => (px - centreX) ** 2 + (py - centreY) ** 2 < DISC_RADIUS ** 2;
    const before = inDisc(x, y);
    return {
      first: before ? disc(x, y) : ground(x, y),
      second: inDisc(x - 4, y + 2) ? disc(x - 4, y + 2) : ground(x + 1.5, y - 1),
      motion: before ? [4, -2] : [-1.5, 1],
    };
  };
}

/** 128 + 96 cosines of random direction and phase; amplitude falls with the root of frequency, and the contrast is 40. */
function makeTexture(seed: number): Texture {
  const random = mulberry32(seed);
  const waves = Array.from({ length: WAVES }, () => {
    const frequency = LOWEST * (HIGHEST / LOWEST) ** random();
    const direction = 2 * Math.PI * random();
    return {
      alongX: 2 * Math.PI * frequency * Math.cos(direction),
      alongY: 2 * Math.PI * frequency * Math.sin(direction),
      phase: 2 * Math.PI * random(),
      amplitude: Math.sqrt(LOWEST / frequency),
    };
  });
  const power = Math.sqrt(waves.reduce((sum, { amplitude }) => sum + amplitude ** 2 / 2, 0));
  return (x, y) => {
    let value = 128;
    for (const { alongX, alongY, phase, amplitude } of waves) {
      value += (CONTRAST / power) * amplitude * Math.cos(alongX * x + alongY * y + phase);
    }
    return value;
  };
}

function grey(value: number): number {
  return Math.floor(Math.min(255, Math.max(0, value)) + 0.5);
}

/** Numbers in [0, 1) with 32 random bits (T. Ettinger). Not core/random: others make the same pairs from its few lines. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
