/** Title, axes and legend of a picture of tracks. */
import { COUNTED, frameNumber } from "../core/frame-numbers.js";
import { type PlotLabels, rangeOf } from "./plot-frame.js";
import {
  divisionColour,
  looseColour,
  missedColour,
  timePalette,
  trackPalette,
  unprovedColour,
  wrongColour,
} from "./track-colours.js";
import { OPACITIES } from "./track-lines.js";
import type { TrackPicture } from "./track-picture.js";

type Legend = PlotLabels["legend"][number];

function tracksLegend(): Legend[] {
  const bars = [-13, -4, 5].map((x, n) => `<path d="M${x} 0h8" stroke="${trackPalette[n]}" stroke-width="2"/>`);
  return [
    { sample: bars.join(""), text: "track" },
    { sample: `<circle r="2.4" fill="${trackPalette[0]}"/>`, text: "detection" },
    {
      sample: `<circle r="4" fill="#fff" stroke="${trackPalette[0]}" stroke-width="1.6" class="hollow"/>`,
      text: "start of a track",
    },
  ];
}

/** The colours from the first frame to the last. */
function timesLegend({ frameStart, numbers = COUNTED }: TrackPicture): Legend {
  const bars = timePalette.map((colour, n) => `<path d="M${4 * n - 16} 0h4" stroke="${colour}" stroke-width="3"/>`);
  const [first, last] = [0, Math.max(0, frameStart.length - 2)].map((p) => frameNumber(numbers, p));
  return { sample: bars.join(""), text: `tracks from frame ${first} to frame ${last}` };
}

export function labelsOf(
  picture: TrackPicture,
  marked: {
    readonly wrong: readonly number[];
    readonly missed: readonly number[];
    readonly unproved: readonly number[];
    readonly single: readonly number[];
    readonly gaps: number;
    readonly divisions: readonly number[];
  },
  isTangled: boolean,
): PlotLabels {
  const { wrong, missed, unproved, single, gaps, divisions } = marked;
  const bar = (style: string) => `<path d="M-12 0h24" ${style}/>`;
  const pale = `<circle r="1.8" fill="${looseColour}" class="loose"/>`;
  const legend = isTangled ? [timesLegend(picture)] : tracksLegend();
  if (gaps > 0) {
    const style = `stroke="${isTangled ? timePalette[0] : trackPalette[0]}" stroke-width="2" stroke-dasharray="4 3"`;
    legend.push({ sample: bar(style), text: `link over missed frames (${gaps})` });
  }
  if (divisions.length > 0) {
    const fork = `<path d="M-12 0h10M-2 0l12 -4M-2 0l12 4" fill="none" stroke="${divisionColour}" stroke-width="1.6"/>`;
    legend.push({ sample: fork, text: `mother and daughter (${divisions.length / 2})` });
  }
  if (single.length > 0) legend.push({ sample: pale, text: `single detection (${single.length})` });
  if (picture.track.some((k) => k < 0)) legend.push({ sample: pale, text: "detection in no track" });
  if (picture.target) {
    legend.push(
      { sample: bar(`stroke="${wrongColour}" stroke-width="3"`), text: `wrong link (${wrong.length / 2})` },
      {
        sample: bar(`stroke="${missedColour}" stroke-width="1.2" class="missed"`),
        text: `true link not found (${missed.length / 2})`,
      },
    );
  }
  if (unproved.length > 0) {
    legend.push({
      sample: `<path d="M-12 0h24" stroke="${unprovedColour}" stroke-width="6" opacity=".7"/>`,
      text: `may be missing from an optimal set (${unproved.length / 2})`,
    });
  }
  if (picture.z) {
    const bars = OPACITIES.map(
      (tone, n) => `<path d="M${8 * n - 12} 0h8" stroke="${trackPalette[0]}" stroke-width="3" opacity="${tone}"/>`,
    );
    const [low, high] = rangeOf(picture.z).map((depth) => Number(depth.toPrecision(3)));
    legend.push({ sample: bars.join(""), text: `z from ${low} to ${high}` });
  }
  const unit = picture.unit ? ` (${picture.unit})` : "";
  const [x, y] = picture.x ? [`x${unit}`, `y${unit}`] : ["frame", "detection in the frame"];
  return { title: picture.title, x, y, legend };
}
