import { furtherPalette, palette, shapes } from "./chart-style.js";
import type { Chart, Figure } from "./figure.js";

/** The encoding of series by a palette. */
interface Series {
  readonly domain: readonly string[];
  readonly range: readonly string[];
}

/**
 * The figures with one colour and one shape for each name of a series, whatever chart it is in. Names of one chart have different colours, and the first ones those of the palette in order.
 */
export function withOneColour<F extends Pick<Figure, "charts">>(figures: readonly F[]): F[] {
  const rivals = rivalsIn(figures.flatMap(({ charts }) => charts.map(({ chart }) => namesOf(chart))));
  const placeOf = new Map<string, number>();
  for (const [name, others] of rivals) {
    const taken = new Set([...others].map((other) => placeOf.get(other)));
    let place = 0;
    while (taken.has(place)) place++;
    placeOf.set(name, place);
  }
  const colours = [...palette, ...furtherPalette];
  const rangeOf = (domain: readonly string[], range: readonly string[]): string[] =>
    domain.map((name) => range[(placeOf.get(name) as number) % range.length]);
  const coloured = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => coloured(one, key));
    if (typeof value !== "object" || value === null) return value;
    const series = seriesOf(value);
    if (series !== null && (key === "color" || key === "shape"))
      return { ...value, scale: { ...series, range: rangeOf(series.domain, key === "color" ? colours : shapes) } };
    // The rows of a chart hold no encodings.
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, name === "data" ? part : coloured(part, name)]),
    );
  };
  return figures.map((figure) => ({
    ...figure,
    charts: figure.charts.map((one) => ({ ...one, chart: coloured(one.chart, "") as Chart })),
  }));
}

/** The scale of an encoding by a palette of series; null of others, such as the steps of a solve, which have colours of their own. */
function seriesOf(encoding: object): Series | null {
  const { scale } = encoding as { scale?: { domain?: unknown; range?: unknown } };
  const [domain, range] = [scale?.domain, scale?.range];
  if (!Array.isArray(domain) || !Array.isArray(range)) return null;
  if (!domain.every((name) => typeof name === "string")) return null;
  return range.every((one) => palette.includes(one) || shapes.includes(one)) ? { domain, range } : null;
}

/** The names of a chart's series. */
function namesOf(chart: unknown): string[] {
  if (Array.isArray(chart)) return [...new Set(chart.flatMap(namesOf))];
  if (typeof chart !== "object" || chart === null) return [];
  const own = seriesOf(chart)?.domain ?? [];
  return [
    ...new Set([...own, ...Object.entries(chart).flatMap(([name, part]) => (name === "data" ? [] : namesOf(part)))]),
  ];
}

/** The names that share a chart with each, in order. */
function rivalsIn(charts: readonly (readonly string[])[]): Map<string, Set<string>> {
  const rivals = new Map<string, Set<string>>();
  for (const names of charts) {
    for (const name of names) {
      const others = rivals.get(name) ?? new Set();
      for (const other of names) if (other !== name) others.add(other);
      rivals.set(name, others);
    }
  }
  return rivals;
}
