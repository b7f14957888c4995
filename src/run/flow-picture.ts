/** The picture of a flow field. */
import { extname } from "node:path";
import type { FlowField } from "../core/flow-field.js";
import { encodePng } from "../files/images/png.js";
import { flowColours, flowWheel, longestFlow } from "../report/flow-colours.js";
import { flowSvg } from "../report/flow-svg.js";
import { embedded } from "./underlay.js";

/** As PNG the colours alone, pixel by pixel; as SVG with axes, the wheel of the colours and its scale. */
export function flowPicture(file: string, flow: FlowField, title: string): string | Uint8Array {
  const { width, height } = flow;
  const colours = flowColours(flow);
  if (extname(file).toLowerCase() !== ".svg") return encodePng(width, height, colours);
  const { size, rgb } = flowWheel();
  return flowSvg({
    title,
    colours: embedded(width, height, colours),
    wheel: embedded(size, size, rgb),
    longest: longestFlow(flow),
  });
}
