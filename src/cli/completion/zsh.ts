import type { Called, Declared } from "../declaration/declaration.js";
import { firstWords, groupsOf, innerOf, optionsOf, quoted } from "./words.js";

export function zshCompletion(all: readonly Called[]): string {
  const list = (words: Iterable<readonly [string, string]>) =>
    [...words].map(([word, says]) => quoted(`${word}:${plain(says)}`)).join(" ");
  const groups = groupsOf(all).map((group) => {
    const inner = innerOf(all, group).map(({ words, declared }) => [words[1], declared.summary] as const);
    return `    ${group})
      if (( CURRENT == 3 )); then
        local -a inner=(${list(inner)})
        _describe command inner
        return
      fi
      command="$command $words[3]" ;;`;
  });
  const commands = all.map(
    (one) => `    '${one.words.join(" ")}')
      _arguments -s ${optionsOf(one).map(specOf).join(" ")} '*:file:_files' ;;`,
  );
  return `#compdef rmap
# Completion of rmap for zsh. Made by rmap completion zsh.
_rmap() {
  local command=$words[2]
  if (( CURRENT == 2 )); then
    local -a commands=(${list(firstWords(all))})
    _describe command commands
    _files
    return
  fi
  case $command in
${groups.join("\n")}
  esac
  case $command in
${commands.join("\n")}
  esac
}
_rmap "$@"
`;
}

/** An option as _arguments takes it. */
function specOf({ short, long, argChoices, required, description }: Declared<unknown>): string {
  const values = argChoices === undefined ? ":value:_files" : `:value:(${argChoices.join(" ")})`;
  const tail = quoted(`[${plain(description)}]${required ? values : ""}`);
  const names = short === undefined ? [long] : [short, long];
  return names.map((name) => `${name}${tail}`).join(" ");
}

/** Text without what _arguments and _describe read as signs of their own. */
const plain = (text: string) => text.replace(/[[\]:\\]/g, " ");
