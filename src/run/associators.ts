import { type Associator, Auction, Exact, Greedy } from "../track/associate.js";

export const ASSOCIATORS = ["jv", "auction", "greedy"] as const;

export type AssociatorName = (typeof ASSOCIATORS)[number];

export interface AssociatorOptions {
  /** ε of auctions, of d_max. */
  readonly epsilon: number;
  /** Of auctions, after which jv decides. */
  readonly rounds: number;
  readonly device: "gpu" | "software";
}

/** The association of a name, with the device it needs; to be closed. */
export async function openAssociator(
  name: AssociatorName,
  { epsilon, rounds }: AssociatorOptions,
): Promise<Associator> {
  if (name === "auction") return new Auction(epsilon, rounds);
  return name === "greedy" ? new Greedy() : new Exact();
}
