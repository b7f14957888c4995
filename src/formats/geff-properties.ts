/** What the properties of a GEFF graph may say, by the names that --properties has for it. */
export const PROPERTIES = [
  ...(["t", "x", "y", "z"] as const),
  ...(["cost", "score", "node-cost", "birth", "death", "unused", "division", "exclusion", "pinned"] as const),
];

export type PropertyNames = Partial<Readonly<Record<(typeof PROPERTIES)[number], string>>>;
