/** Flow in colours as pixels, with the wheel that says which colour is which direction, and its scale, in a strip below. */
import type { FlowField } from "../core/flow-field.js";
import { flowColours, flowWheel, longestFlow } from "./flow-colours.js";
import { formatNumber } from "./numbers.js";

/** Letters of 5 × 7 pixels, a byte for each line from the top (the font of the display controller HD44780), for the words below and for numbers. */
const LETTERS = new Map(
  Array.from(
    `0 0e11131519110e 1 040c040404040e 2 0e11010204081f 3 1f02040201110e 4 02060a121f0202 5 1f101e0101110e 6 0608101e11110e
     7 1f010204080808 8 0e11110e11110e 9 0e11110f01020c . 00000000000c0c , 000000000c0408 : 000c0c000c0c00 - 0000001f000000
     a 00000e010f110f b 1010161911111e c 00000e1010110e e 00000e111f100e i 04000c0404040e k 10101214181412 l 0c04040404040e
     m 00001a15151111 n 00001619111111 o 00000e1111110e p 00001e111e1010 r 00001619101010 t 08081c08080906 w 0000111115150a
     x 0000110a040a11`.matchAll(/(\S) (\w{14})/g),
    ([, letter, rows]) => [letter, rows],
  ),
);

/** Pixels of the picture to one of a letter, and around the wheel. */
const SCALE = 2;
const ROOM = 8;
const LETTER = { advance: 6 * SCALE, line: 12 * SCALE };

/** Pixel x, y of the flow is pixel x, y of the picture; three samples a pixel. */
export function flowRaster(flow: FlowField) {
  const wheel = flowWheel();
  const words = [`rim: ${formatNumber(longestFlow(flow))} px`, "black: not known"];
  const left = 2 * ROOM + wheel.size;
  const width = Math.max(flow.width, left + Math.max(...words.map((line) => line.length)) * LETTER.advance + ROOM);
  const height = flow.height + wheel.size + 2 * ROOM;
  const rgb = new Uint8Array(3 * width * height).fill(255);
  const paste = (samples: Uint8Array, side: number, x: number, y: number): void => {
    for (let row = 0; 3 * side * row < samples.length; row++)
      rgb.set(samples.subarray(3 * side * row, 3 * side * (row + 1)), 3 * ((y + row) * width + x));
  };
  paste(flowColours(flow), flow.width, 0, 0);
  paste(wheel.rgb, wheel.size, ROOM, flow.height + ROOM);
  words.forEach((line, n) => {
    write(rgb, width, line, left, flow.height + ROOM + SCALE * 3 + n * LETTER.line);
  });
  return { width, height, rgb };
}

/** Writes a line in black from its upper left corner on. */
function write(rgb: Uint8Array, width: number, line: string, left: number, top: number): void {
  [...line].forEach((letter, n) => {
    const rows = Buffer.from(LETTERS.get(letter) ?? "", "hex");
    for (let y = 0; y < SCALE * rows.length; y++) {
      for (let x = 0; x < SCALE * 5; x++) {
        const isInk = (rows[Math.floor(y / SCALE)] >> (4 - Math.floor(x / SCALE))) & 1;
        const at = 3 * ((top + y) * width + left + n * LETTER.advance + x);
        if (isInk === 1) rgb.fill(0, at, at + 3);
      }
    }
  });
}
