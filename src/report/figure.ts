import type { TopLevelSpec } from "vega-lite";

export type Chart = TopLevelSpec;

export interface Column {
  readonly title: string;
  /** Numbers are aligned to the right. */
  readonly number?: boolean;
}

/** Columns of numbers. */
export const numbered = (...titles: readonly string[]): Column[] => titles.map((title) => ({ title, number: true }));

/** Cells as they are shown. */
export interface Table {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

/** A figure of the report: charts, and their numbers below. */
export interface Figure {
  /** For links and tests. */
  readonly id: string;
  readonly title: string;
  /** What the charts show and how to read them, a paragraph each. */
  readonly text: readonly string[];
  readonly charts: readonly { readonly caption: string; readonly chart: Chart }[];
  readonly tables: readonly Table[];
}

/** A figure that the given rows do not fill. */
export interface MissingFigure {
  readonly id: string;
  readonly title: string;
  /** Which rows would fill it. */
  readonly needs: string;
}

export function isDrawn(figure: Figure | MissingFigure): figure is Figure {
  return "charts" in figure;
}
