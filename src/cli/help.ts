import { scenarioJsonSchema } from "../formats/scenario.js";
import { packageVersion } from "../rows/provenance.js";
import { command, toggle } from "./declaration/declaration.js";
import { manPage } from "./declaration/man.js";
import { commandPages } from "./declaration/reference.js";

/** `rmap help COMMAND` alone is COMMAND --help; this is the rest of what help can print. */
export const help = command({
  group: "About this program and machine",
  summary: "Print the help of a command, all commands as Markdown or as a manual page, or what a scenario may state.",
  arguments: {},
  options: {
    markdown: toggle("--markdown", "print the reference of all commands as Markdown"),
    man: toggle("--man", "print the manual page: rmap help --man | man -l -"),
    schema: toggle("--schema", "print the JSON Schema of a scenario, for editors"),
  },
  examples: [
    "rmap help solve",
    "rmap help --markdown > commands.md",
    "rmap help --man | man -l -",
    "rmap help --schema > scenario.schema.json",
  ],
  async run(_, { schema, man }, { commands }) {
    const found = schema ? scenarioJsonSchema() : null;
    if (found !== null) return { text: `${JSON.stringify(found, null, 2)}\n`, json: found };
    if (man) {
      const page = manPage(await commands(), packageVersion());
      return { text: page, json: { page } };
    }
    const pages = commandPages(await commands());
    return { text: pages.map(({ page }) => page).join("\n"), json: pages };
  },
});
