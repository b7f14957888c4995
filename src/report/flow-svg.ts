/** Flow in colours, with the wheel that says which colour is which direction, and its scale, as a self-contained SVG. */
import { formatNumber } from "./numbers.js";
import { imageFrame } from "./plot-frame.js";
import type { PictureImage } from "./track-picture.js";
import { underlay } from "./tracks-svg.js";

export interface FlowPicture {
  /** The first line is the heading; more lines may follow it. */
  readonly title: string;
  /** flowColours and flowWheel as images. */
  readonly colours: PictureImage;
  readonly wheel: PictureImage;
  /** Length at the wheel's rim, in pixels. */
  readonly longest: number;
}

export function flowSvg({ title, colours, wheel, longest }: FlowPicture): string {
  const frame = imageFrame(colours.width, colours.height, { title, legend: [], corner: cornerOf(wheel, longest) });
  return frame.wrap([underlay(frame, colours)]);
}

/** The wheel in a disc, with its scale beside it. */
function cornerOf({ width, url }: PictureImage, longest: number): { svg: string; width: number; height: number } {
  const radius = width / 2;
  const rim = `<circle cx="${radius}" cy="${radius}" r="${radius - 0.5}" fill="none" stroke="#888"/>`;
  const text = (y: number, words: string) =>
    `<text x="${width + 10}" y="${y}" font-size="12.5" fill="#333" class="text">${words}</text>`;
  return {
    svg: [
      `<clipPath id="disc"><circle cx="${radius}" cy="${radius}" r="${radius - 0.5}"/></clipPath>`,
      `<image width="${width}" height="${width}" href="${url}" clip-path="url(#disc)"/>`,
      rim,
      text(radius - 4, "direction of motion"),
      text(radius + 14, `rim: ${formatNumber(longest)} px; black: not known`),
    ].join(""),
    width: width + 240,
    height: width,
  };
}
