/** Scripts by which shells complete the words of a command line, from the declarations alone. */
import type { Called, Declared } from "../declaration/declaration.js";

/** The options of a command and of all of its methods, each name once. */
export function optionsOf({ declared: { options, methods } }: Called): Declared<unknown>[] {
  const all = [options, ...Object.values(methods?.of ?? {}).map((method) => method.options)].flatMap((one) =>
    Object.values(one).filter(({ hidden }) => !hidden),
  );
  return [...new Map(all.map((option) => [option.long, option])).values()];
}

/** The words that may follow `rmap` or a group, with their purpose. */
function firstWords(all: readonly Called[]): Map<string, string> {
  return new Map(
    all.map(({ words, declared }) => [words[0], words.length > 1 ? `${words[0]} commands` : declared.summary]),
  );
}

const innerOf = (all: readonly Called[], name: string) =>
  all.filter(({ words }) => words.length > 1 && words[0] === name);

/** The names of groups. */
export const groupsOf = (all: readonly Called[]) => [
  ...new Set(all.filter(({ words }) => words.length > 1).map(({ words }) => words[0])),
];

/** Text between single quotes of a shell. */
export const quoted = (text: string, inside = "'\\''") => `'${text.replaceAll("'", inside)}'`;

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
