/** Words with which a command can be completed. */
import type { Called, Declared } from "../declaration/declaration.js";

/** The options of a command and of all of its methods, each name once. */
export function optionsOf({ declared: { options, methods } }: Called): Declared<unknown>[] {
  const all = [options, ...Object.values(methods?.of ?? {}).map((method) => method.options)].flatMap((one) =>
    Object.values(one).filter(({ hidden }) => !hidden),
  );
  return [...new Map(all.map((option) => [option.long, option])).values()];
}

/** The words that may follow `rmap` or a group, with their purpose. */
export function firstWords(all: readonly Called[]): Map<string, string> {
  return new Map(
    all.map(({ words, declared }) => [words[0], words.length > 1 ? `${words[0]} commands` : declared.summary]),
  );
}

export const innerOf = (all: readonly Called[], name: string) =>
  all.filter(({ words }) => words.length > 1 && words[0] === name);

/** The names of groups. */
export const groupsOf = (all: readonly Called[]) => [
  ...new Set(all.filter(({ words }) => words.length > 1).map(({ words }) => words[0])),
];

/** Text between single quotes of a shell. */
export const quoted = (text: string, inside = "'\\''") => `'${text.replaceAll("'", inside)}'`;
