/** The reference of the command line in Markdown, from the declarations alone. */
import { commandOf } from "./build.js";
import type { Called, Options, Shown } from "./declaration.js";

export interface CommandPage {
  /** Of its file, without an ending. */
  readonly name: string;
  readonly page: string;
}

/** A page with the list of all commands, and one for each with those below it. */
export function commandPages(all: readonly Called[]): CommandPage[] {
  const names = [...new Set(all.map(({ words }) => words[0]))];
  const groups = [...new Set(all.map(({ declared }) => declared.group))];
  const list = groups.map((group) => {
    const rows = all.filter(({ declared }) => declared.group === group);
    const cells = rows.map(({ words, declared }) => {
      return [`[\`rmap ${words.join(" ")}\`](${words[0]}.md)`, prose(declared.summary)];
    });
    return `## ${group}\n\n${table(["command", "purpose"], cells)}\n`;
  });
  return [
    { name: "index", page: `# The commands\n\n${list.join("\n")}` },
    ...names.map((name) => ({
      name,
      page: pageOf(
        name,
        all.filter(({ words }) => words[0] === name),
      ),
    })),
  ];
}

function pageOf(name: string, ones: readonly Called[]): string {
  const grouped = ones[0].words.length > 1;
  const parts = ones.map((one) => describe(one, grouped ? "##" : "#"));
  return `${[...(grouped ? [`# rmap ${name}`] : []), ...parts].join("\n\n")}\n`;
}

/** A command below a heading of that depth. */
function describe({ words, declared }: Called, depth: string): string {
  const { methods } = declared;
  const made = commandOf(words.at(-1) as string, declared, [], async () => []);
  return [
    `${depth} rmap ${words.join(" ")}`,
    prose(declared.summary),
    `\`\`\`sh\nrmap ${words.join(" ")} ${made.usage()}\n\`\`\``,
    table(
      ["argument", "meaning"],
      Object.entries(declared.arguments).map(([name, { says }]) => [`\`${name}\``, prose(says)]),
    ),
    ...optionTables(declared.options, depth),
    ...examplesAndNotes(declared),
    ...Object.entries(methods?.of ?? {}).flatMap(([name, method]) => [
      `${depth}# --${methods?.option.name()} ${name}`,
      prose(method.summary),
      ...optionTables(method.options, null),
      ...examplesAndNotes(method),
    ]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** A table for each group of options, under its heading where `depth` is that of the heading above. */
function optionTables(options: Options, depth: string | null): string[] {
  const all = Object.values(options).filter(({ hidden }) => !hidden);
  const headingOf = ({ helpGroupHeading = "Options:" }: (typeof all)[number]) => helpGroupHeading;
  return [...new Set(all.map(headingOf))].flatMap((heading) => {
    const group = all.filter((option) => headingOf(option) === heading);
    const rows = group.map(({ flags, description, argChoices, defaultValue, defaultValueDescription }) => {
      const values = argChoices?.map((name) => `\`${name}\``).join(", ") ?? "";
      const usual = defaultValue === undefined ? "" : `\`${defaultValueDescription ?? String(defaultValue)}\``;
      return [`\`${flags}\``, prose(description), values, usual];
    });
    return [
      ...(depth === null ? [] : [`${depth}# ${heading.replace(/:$/, "")}`]),
      table(["option", "meaning", "values", "default"], rows),
    ];
  });
}

const examplesAndNotes = ({ examples, notes = "" }: Shown): string[] => [
  examples.length === 0 ? "" : `\`\`\`sh\n${examples.join("\n")}\n\`\`\``,
  notes === "" ? "" : `\`\`\`text\n${notes}\n\`\`\``,
];

/** Text in which Markdown, and the site's templates, see no markup. */
const prose = (text: string) => text.replace(/[<{]/g, (sign) => (sign === "<" ? "&lt;" : "&#123;"));

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const cells = rows.map((row) => row.map((cell) => cell.replace(/\|/g, "\\|").replace(/\s+/g, " ")));
  return [head, head.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
