/** Links by margin, and how many of them were wrong. */
export interface CalibrationRow {
  readonly margin: string;
  readonly links: number;
  readonly wrong: number;
}

/** What a margin proves and what it does not, and what was measured on nine recordings with truth (lab/results/margins.jsonl, lab/notes/exact.md). */
export const CALIBRATION: { readonly sentences: readonly string[]; readonly recordings: readonly CalibrationRow[] } = {
  sentences: [
    "A margin is proved about the costs: every set of tracks without the link costs at least so much more.",
    "It proves nothing about the world: where the costs are wrong, so can be a link that is sure.",
    "On nine recordings with truth two thirds of the links with a margin below 1 were wrong, and one in 1,651 of those above 5.",
  ],
  recordings: [
    { margin: "up to 0", links: 2, wrong: 2 },
    { margin: "0 to 1", links: 64, wrong: 42 },
    { margin: "1 to 2", links: 63, wrong: 26 },
    { margin: "2 to 3", links: 127, wrong: 19 },
    { margin: "3 to 5", links: 258, wrong: 27 },
    { margin: "5 to 10", links: 6284, wrong: 44 },
    { margin: "above 10", links: 81217, wrong: 9 },
  ],
};
