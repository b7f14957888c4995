/** The picture of a flow field. */
import { extname } from "node:path";
import type { FlowField } from "../core/flow-field.js";
import { encodePng } from "../files/images/png.js";
import { flowColours, flowWheel, longestFlow } from "../report/flow-colours.js";
import { flowRaster } from "../report/flow-raster.js";
import { flowSvg } from "../report/flow-svg.js";
import { embedded } from "./underlay.js";

/** With the wheel of the colours and its scale: as PNG below the flow's pixels, as SVG beside axes. */
export function flowPicture(file: string, flow: FlowField, title: string): string | Uint8Array {
  if (extname(file).toLowerCase() !== ".svg") {
    const { width, height, rgb } = flowRaster(flow);
    return encodePng(width, height, rgb);
  }
  const { width, height } = flow;
  const colours = flowColours(flow);
  const { size, rgb } = flowWheel();
  return flowSvg({
    title,
    colours: embedded(width, height, colours),
    wheel: embedded(size, size, rgb),
    longest: longestFlow(flow),
  });
}
