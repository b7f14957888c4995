import { COMMANDS } from "../../dist/cli/program.js";

/** A Markdown page for each command, with those below it, and the list of all. Made from commander's definitions alone. */
export async function commandPages() {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const list = commands.map(
    (command) =>
      `| [\`rmap ${command.name()}\`](${command.name()}.md) | ${cell(prose(firstSentence(command.description())))} |`,
  );
  const index = `# The commands\n\n| command | purpose |\n|---|---|\n${list.join("\n")}\n`;
  return [
    { name: "index", page: index },
    ...commands.map((command) => ({ name: command.name(), page: pageOf(command, "rmap", 1) })),
  ];
}

function pageOf(command, above, level) {
  const name = `${above} ${command.name()}`;
  const inner = command.commands.filter((sub) => sub.name() !== "help");
  return [
    `${"#".repeat(level)} ${name}`,
    prose(command.description()),
    code("sh", `${name} ${command.usage()}`),
    table(
      ["argument", "meaning"],
      command.registeredArguments.map((argument) => [`\`${argument.name()}\``, prose(argument.description)]),
    ),
    ...groups(command).flatMap(([title, options]) => [
      `${"#".repeat(level + 1)} ${title}`,
      table(
        ["option", "meaning"],
        options.map((option) => [`\`${option.flags}\``, meaning(option)]),
      ),
    ]),
    code("text", textAfter(command)),
    ...inner.map((sub) => pageOf(sub, name, level + 1)),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Options by the group under which the help lists them. */
function groups(command) {
  const byGroup = new Map();
  for (const option of command.createHelp().visibleOptions(command)) {
    const title = (option.helpGroupHeading ?? "Options:").replace(/:$/, "");
    byGroup.set(title, [...(byGroup.get(title) ?? []), option]);
  }
  return [...byGroup];
}

function meaning({ description, argChoices, defaultValue, defaultValueDescription }) {
  const choices = argChoices ? ` One of ${argChoices.map((choice) => `\`${choice}\``).join(", ")}.` : "";
  const usual =
    defaultValueDescription ??
    (defaultValue === undefined || defaultValue === false ? null : JSON.stringify(defaultValue));
  const stop = choices !== "" || usual !== null ? "." : "";
  return `${prose(description)}${stop}${choices}${usual === null ? "" : ` Default: ${prose(usual)}.`}`;
}

/** What the help says after its lists: notes and examples. */
function textAfter(command) {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text.slice(command.helpInformation().length).trim();
}

const firstSentence = (text) => text.split(/(?<=\.)\s/)[0];
const prose = (text) => text.replace(/[<{]/g, (sign) => (sign === "<" ? "&lt;" : "&#123;"));
const cell = (text) => text.replace(/\|/g, "\\|").replace(/\s+/g, " ");
const code = (language, text) => (text === "" ? "" : `\`\`\`${language}\n${text}\n\`\`\``);
const table = (head, rows) =>
  rows.length === 0
    ? ""
    : [head, head.map(() => "---"), ...rows.map((row) => row.map(cell))]
        .map((row) => `| ${row.join(" | ")} |`)
        .join("\n");
