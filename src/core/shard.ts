/** One of `of` shards of a work, whose items are dealt to them in turn; counted from 1. */
export interface Shard {
  readonly number: number;
  readonly of: number;
}

/** Every `of`-th item from the `number`-th. */
export function itemsOfShard<Item>(items: readonly Item[], { number, of }: Shard): Item[] {
  return items.filter((_, n) => n % of === number - 1);
}
