/** What the pages of a TIFF file are, by the descriptions that ImageJ and OME put into its first page. */
import { refuse } from "../refusal.js";
import type { Note } from "./png.js";

export interface ImageOptions {
  /** Is told of transparency, palettes and slices in the place of frames, which are left out or taken as they are; without it they are refused. */
  readonly note?: Note | undefined;
  /** Of TIFF files with several channels the one that is read, 1 the first; without it they are refused. */
  readonly channel?: number | undefined;
}

export interface Layout {
  /** Planes that the file must hold by its description; null where it says nothing of them. */
  readonly planes: number | null;
  /** Whether a plane, from 0 on, is one of the sequence. */
  isRead(plane: number): boolean;
}

interface Axes {
  readonly channels: number;
  readonly slices: number;
  readonly frames: number;
  /** The letters C, Z and T, the one that changes first in front. */
  readonly order: string;
  /** Pages of one channel, slice and frame: 1 where a page holds all colours, and so all channels of RGB. */
  readonly planes: number;
}

const ONE_CHANNEL = "choose one with --channel, where the command has it, or save each channel as a file of its own";

/** @throws InputError for z-stacks of several frames and for several channels, unless one is chosen */
export function readLayout(file: string, description: string, { note, channel }: ImageOptions): Layout {
  const axes = imageJAxes(description) ?? omeAxes(file, description);
  const { channels, slices, frames, order, planes } = axes ?? NO_AXES;
  if (channel !== undefined && channel > channels)
    refuse(
      file,
      `has ${channels} ${channels === 1 ? "channel" : "channels"}, and --channel is ${channel}`,
      "leave it out, or give one that is there",
    );
  if (channels > 1 && channel === undefined) refuse(file, `has ${channels} channels`, ONE_CHANNEL);
  if (slices > 1 && frames > 1)
    refuse(
      file,
      `holds z-stacks of ${slices} slices at ${frames} times`,
      "project them (in ImageJ: Image, Stacks, Z Project), or save one slice of all times",
    );
  if (slices > 1) {
    // ImageJ calls the pages of a film slices unless somebody says otherwise.
    const read = `its ${slices} slices are taken as frames, since it has one time only`;
    if (note === undefined) refuse(file, `is a stack of ${slices} slices`, "save them as frames");
    note(`${file}: ${read}.`);
  }
  const sizes: Readonly<Record<string, number>> = { C: channels, Z: slices, T: frames };
  const before = [...order.slice(0, order.indexOf("C"))].reduce((product, axis) => product * sizes[axis], 1);
  return {
    planes: axes === null ? null : planes,
    isRead: (plane) => channel === undefined || Math.floor(plane / before) % channels === channel - 1,
  };
}

const NO_AXES: Axes = { channels: 1, slices: 1, frames: 1, order: "CZT", planes: 0 };

/** `ImageJ=1.53t` and lines such as `frames=100`; `images` is their product. */
function imageJAxes(description: string): Axes | null {
  if (!description.startsWith("ImageJ=")) return null;
  const size = (name: string) => Number(new RegExp(`^${name}=(\\d+)`, "m").exec(description)?.[1] ?? 1);
  const [channels, slices, frames] = [size("channels"), size("slices"), size("frames")];
  // RGB images count their colours as channels of one page.
  const isColour = /^mode=color$/m.test(description) && size("images") < channels * slices * frames;
  return { channels: isColour ? 1 : channels, slices, frames, order: "CZT", planes: size("images") };
}

/** The attributes of <Pixels> in OME-XML; https://docs.openmicroscopy.org/ome-model/6.3.1/ome-tiff/specification.html */
function omeAxes(file: string, description: string): Axes | null {
  if (!/<(\w+:)?OME\b/.test(description)) return null;
  const all = [...description.matchAll(/<(?:\w+:)?Pixels\b[^>]*>/g)];
  if (all.length !== 1)
    refuse(file, `holds ${all.length} series of images`, "save the one that is meant as a file of its own");
  const attribute = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  const size = (name: string) => Number(attribute(all[0][0], name) ?? 1);
  const colours = Number(attribute(/<(?:\w+:)?Channel\b[^>]*>/.exec(description)?.[0] ?? "", "SamplesPerPixel") ?? 1);
  const [channels, slices, frames] = [size("SizeC") / colours, size("SizeZ"), size("SizeT")];
  const order = attribute(all[0][0], "DimensionOrder")?.slice(2) ?? "CZT";
  return { channels, slices, frames, order, planes: channels * slices * frames };
}
