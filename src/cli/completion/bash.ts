import type { Called } from "../declaration/declaration.js";
import { firstWords, groupsOf, innerOf, optionsOf } from "./words.js";

/** Names and choices come from the declarations; wherever a value is none of them, files are offered. */
export function bashCompletion(all: readonly Called[]): string {
  const commands = all.map((one) => {
    const options = optionsOf(one);
    const names = options.flatMap(({ short, long }) => [short, long]).filter((name) => name !== undefined);
    const values = options.flatMap(({ long, argChoices, required }) => {
      if (argChoices !== undefined) return [`        ${long}) values='${argChoices.join(" ")}' ;;`];
      return required ? [`        ${long}) values='' files=1 ;;`] : [];
    });
    return `    '${one.words.join(" ")}')
      options='${names.join(" ")} --help'
      case $before in
${values.join("\n")}
        *) free=1 ;;
      esac ;;`;
  });
  const groups = groupsOf(all).map((name) => {
    const inner = innerOf(all, name).map(({ words }) => words[1]);
    return `    ${name}) words='${inner.join(" ")}'; [[ $COMP_CWORD -gt 2 ]] && command="$command \${COMP_WORDS[2]}" ;;`;
  });
  return `# Completion of rmap for bash. Made by rmap completion bash.
_rmap() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  local words='' options='' values='' files='' free=''
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '${[...firstWords(all).keys()].join(" ")}' -- "$current") $(compgen -f -- "$current"))
    return
  fi
  case $command in
${groups.join("\n")}
  esac
  if [[ -n $words && $COMP_CWORD -eq 2 ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case $command in
${commands.join("\n")}
  esac
  if [[ -n $free && $current == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $free || -n $files ]]; then COMPREPLY=($(compgen -f -- "$current"))
  else COMPREPLY=($(compgen -W "$values" -- "$current"))
  fi
}
complete -o filenames -F _rmap rmap
`;
}
