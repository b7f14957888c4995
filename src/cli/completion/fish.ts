import type { Called } from "../declaration/declaration.js";
import { firstWords, groupsOf, innerOf, optionsOf, quoted } from "./words.js";

export function fishCompletion(all: readonly Called[]): string {
  const quote = (text: string) => quoted(text, "\\'");
  const commands = [...firstWords(all)].map(
    ([word, says]) => `complete -c rmap -n __fish_use_subcommand -a ${word} -d ${quote(says)}`,
  );
  const inner = groupsOf(all).flatMap((group) =>
    innerOf(all, group).map(
      ({ words, declared }) =>
        `complete -c rmap -n '__fish_seen_subcommand_from ${group}' -a ${words[1]} -d ${quote(declared.summary)}`,
    ),
  );
  const options = all.flatMap((one) => {
    const when = one.words.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    return optionsOf(one).map(({ short, long = "", argChoices, required, description }) => {
      const letter = short === undefined ? "" : ` -s ${short.slice(1)}`;
      const value = argChoices === undefined ? (required ? " -r" : "") : ` -x -a ${quote(argChoices.join(" "))}`;
      return `complete -c rmap -n '${when}' -l ${long.slice(2)}${letter}${value} -d ${quote(description)}`;
    });
  });
  return `# Completion of rmap for fish. Made by rmap completion fish.\n${[...commands, ...inner, ...options].join("\n")}\n`;
}
