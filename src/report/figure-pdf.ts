/**
 * Charts as PDF, in the sizes of their SVG. Vega draws them on a canvas of Skia (@napi-rs/canvas), which keeps text as text, in the letters of this machine's
 * fonts, and takes what one font lacks from another.
 */
import type { View } from "vega";
import { ifInstalled, missing } from "../core/optional-package.js";

/** @returns the bytes of a page as wide and high as that, in millimetres */
export type PdfWriter = (view: View, size: PdfSize, title: string) => Promise<Uint8Array>;

export interface PdfSize {
  /** Millimetres. */
  readonly width: number;
  readonly height: number;
  /** Of the picture, in its own units. */
  readonly units: number;
}

const PACKAGE = "@napi-rs/canvas";
/** Points of a millimetre. */
const POINTS = 72 / 25.4;

/** What writes charts as PDF; words where nothing here can. */
export async function pdfWriter(): Promise<PdfWriter | string> {
  const canvas = await ifInstalled([PACKAGE], () => import("@napi-rs/canvas"));
  if (canvas === null) return missing("PDF", [PACKAGE]);
  const { GlobalFonts, PDFDocument } = canvas;
  if (GlobalFonts.families.length === 0) return "PDF needs fonts, and this machine has none; install some";
  return async (view, { width, height, units }, title) => {
    const document = new PDFDocument({ title, creator: "rmap" });
    const context = document.beginPage(width * POINTS, height * POINTS);
    await view.toCanvas((width * POINTS) / units, { externalContext: context });
    document.endPage();
    return document.close();
  };
}
