/** How the LAPs of a batch are solved: each as its density suggests, or all on their entries alone, or all as matrices. */
export const LAP_METHODS = ["auto", "sparse", "block-hungarian"] as const;

export type LapMethod = (typeof LAP_METHODS)[number];
