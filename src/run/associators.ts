import type { Associator } from "../track/associate.js";
import { AuctionOnGpu, BlockHungarian } from "../track/associate-gpu.js";
import { Auction } from "../track/auction.js";
import { Exact } from "../track/exact.js";
import { Greedy } from "../track/greedy.js";
import { openGpu } from "./device.js";

export const ASSOCIATORS = ["jv", "auction", "gpu-auction", "block-hungarian", "greedy"] as const;

export type AssociatorName = (typeof ASSOCIATORS)[number];

export interface AssociatorOptions {
  /** ε of auctions, of d_max. */
  readonly epsilon: number;
  /** Limit on the rounds of auctions, after which jv decides. */
  readonly rounds: number;
  readonly device: "auto" | "gpu" | "software";
}

/** Opens the association of a name, with the device it needs; the caller closes it. */
export async function openAssociator(name: AssociatorName, options: AssociatorOptions): Promise<Associator> {
  if (name === "jv") return new Exact();
  if (name === "greedy") return new Greedy();
  const { epsilon, rounds } = options;
  if (name === "auction") return new Auction(epsilon, rounds);
  const device = await openGpu(options.device);
  const made =
    name === "gpu-auction"
      ? await AuctionOnGpu.create(device.session, epsilon, rounds)
      : new BlockHungarian(device.session);
  return {
    name: made.name,
    ran: made.ran,
    associate: (frame) => made.associate(frame),
    close: async () => {
      await made.close();
      await device.close();
    },
  };
}
