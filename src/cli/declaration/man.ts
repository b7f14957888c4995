/** The manual page rmap(1) in the macros of man(7), from the declarations alone. */
import { ABOUT } from "../about.js";
import { commandOf, optionDescription } from "./build.js";
import type { Called, Options, Shown } from "./declaration.js";

export function manPage(all: readonly Called[], version: string): string {
  const groups = [...new Set(all.map(({ declared }) => declared.group))];
  return [
    `.TH RMAP 1 "" "rmap ${version}" "User commands"`,
    ".SH NAME",
    `rmap \\- ${plain(ABOUT.summary.replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    ".B rmap\n.I command\n.RI [ options ]",
    ".br",
    ".B rmap\n.I file",
    ".SH COMMANDS",
    ...groups.flatMap((group) => [
      `.SS ${plain(group)}`,
      ...all
        .filter(({ declared }) => declared.group === group)
        .map(({ words, declared }) => term(`rmap ${words.join(" ")}`, declared.summary)),
    ]),
    ...all.flatMap((one) => describe(one)),
    ".SH EXIT STATUS",
    ...ABOUT.exitCodes.map(([code, says]) => term(code, says)),
    ".SH ENVIRONMENT",
    ...ABOUT.environment.map(([name, says]) => term(name, says)),
    ".SH EXAMPLES",
    verbatim(ABOUT.examples),
    "",
  ].join("\n");
}

function describe({ words, declared }: Called): string[] {
  const made = commandOf(words.at(-1) as string, declared, [], async () => []);
  return [
    `.SH ${plain(`rmap ${words.join(" ")}`.toUpperCase())}`,
    `.B rmap ${plain(words.join(" "))}\n${plain(made.usage())}`,
    ".PP",
    plain(declared.summary),
    ...Object.entries(declared.arguments).map(([name, { says }]) => term(name, says)),
    ...options(declared.options),
    ...shown(declared),
    ...Object.entries(declared.methods?.of ?? {}).flatMap(([name, method]) => [
      `.SS --${plain(`${declared.methods?.option.name()} ${name}`)}`,
      plain(method.summary),
      ...options(method.options),
      ...shown(method),
    ]),
  ];
}

const options = (all: Options): string[] =>
  Object.values(all)
    .filter(({ hidden }) => !hidden)
    .map((option) => term(option.flags, optionDescription(option)));

const shown = ({ examples, notes }: Shown): string[] => [
  ...(examples.length === 0 ? [] : [verbatim(examples)]),
  ...(notes === undefined ? [] : [".PP", plain(notes)]),
];

const term = (name: string, says: string): string => `.TP\n.B ${plain(name)}\n${plain(says)}`;

const verbatim = (lines: readonly string[]): string => `.PP\n.nf\n.RS\n${lines.map(plain).join("\n")}\n.RE\n.fi`;

/** Text in which troff sees no escapes, no requests and no typographic dashes. */
function plain(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .split("\n")
    .map((line) => (/^[.']/.test(line) ? `\\&${line}` : line))
    .join("\n");
}
