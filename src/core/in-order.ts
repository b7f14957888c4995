/**
 * Items with what `work` makes of each, in the order of the items; up to `ahead` are worked on at a time. Where an item cannot be had, those before it come first,
 * and its error then.
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  ahead: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<[Item, Result]> {
  const begun: [Item, Promise<Result>][] = [];
  const iterator = items[Symbol.asyncIterator]();
  const next = () => iterator.next().catch((error: unknown) => ({ done: true, value: undefined, error }) as const);
  try {
    let step = await next();
    for (; !step.done; step = await next()) {
      const result = work(step.value);
      // It may fail before its turn, at which the error is thrown.
      result.catch(() => {});
      begun.push([step.value, result]);
      const first = begun.length < ahead ? undefined : begun.shift();
      if (first !== undefined) yield [first[0], await first[1]];
    }
    for (const [item, result] of begun) yield [item, await result];
    if ("error" in step) throw step.error;
  } finally {
    await iterator.return?.();
  }
}
