/** Flow as a picture: direction as hue and length as saturation, by the wheel of Baker et al., IJCV 92 (2011). */
import { type FlowField, LARGEST_KNOWN_FLOW } from "../core/flow-field.js";

/** Steps between neighbours of red, yellow, green, cyan, blue, magenta and red again. */
const STEPS = [15, 6, 4, 11, 13, 6] as const;
const CORNERS = [
  [255, 0, 0],
  [255, 255, 0],
  [0, 255, 0],
  [0, 255, 255],
  [0, 0, 255],
  [255, 0, 255],
  [255, 0, 0],
] as const;

const WHEEL: readonly (readonly number[])[] = STEPS.flatMap((steps, k) =>
  Array.from({ length: steps }, (_, step) =>
    CORNERS[k].map((from, channel) => from + Math.trunc(((CORNERS[k + 1][channel] - from) * step) / steps)),
  ),
);

/** Side of the wheel in a legend, in pixels. */
const WHEEL_SIZE = 61;

/** The wheel itself, three samples a pixel: the colour of each displacement up to the longest, around the middle. */
export function flowWheel(): { size: number; rgb: Uint8Array } {
  const size = WHEEL_SIZE;
  const middle = (size - 1) / 2;
  const along = (place: (i: number) => number) =>
    Float32Array.from({ length: size * size }, (_, i) => (place(i) - middle) / middle);
  const [u, v] = [along((i) => i % size), along((i) => Math.floor(i / size))];
  const rgb = flowColours({ width: size, height: size, u, v }, 1);
  u.forEach((x, i) => {
    if (Math.hypot(x, v[i]) > 1) rgb.fill(255, 3 * i, 3 * i + 3);
  });
  return { size, rgb };
}

/**
 * Three samples a pixel: white where nothing moves, full colour at `most` px (the longest flow where not given), darker beyond,
 * black where the flow is not known.
 */
export function flowColours({ width, height, u, v }: FlowField, most: number = longestFlow({ u, v })): Uint8Array {
  const rgb = new Uint8Array(3 * width * height);
  for (let i = 0; i < u.length; i++) {
    if (!known(u[i]) || !known(v[i])) continue;
    const [x, y] = most > 0 ? [u[i] / most, v[i] / most] : [0, 0];
    const length = Math.hypot(x, y);
    const place = ((Math.atan2(-y, -x) / Math.PI + 1) / 2) * (WHEEL.length - 1);
    const left = Math.floor(place);
    const [from, to] = [WHEEL[left], WHEEL[(left + 1) % WHEEL.length]];
    for (let channel = 0; channel < 3; channel++) {
      const colour = (from[channel] + (place - left) * (to[channel] - from[channel])) / 255;
      // A rounding error above 1 is no flow beyond `most`.
      const shade = length <= 1 + 1e-6 ? 1 - Math.min(length, 1) * (1 - colour) : 0.75 * colour;
      rgb[3 * i + channel] = Math.floor(255 * shade);
    }
  }
  return rgb;
}

const known = (value: number) => Math.abs(value) <= LARGEST_KNOWN_FLOW;

/** Length of the longest flow that is known. */
export function longestFlow({ u, v }: Pick<FlowField, "u" | "v">): number {
  return u.reduce((most, x, i) => (known(x) && known(v[i]) ? Math.max(most, Math.hypot(x, v[i])) : most), 0);
}
