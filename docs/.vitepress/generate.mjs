// Writes the pages that are made from the program itself: the command line's from its definitions, the library's from the doc
// comments of src/; and the page of the papers, which is the lab's. All are left out of git.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Application } from "typedoc";
import { allCommands } from "../../dist/cli/commands.js";
import { commandPages } from "../../dist/cli/declaration/reference.js";

const ROOT = path.join(import.meta.dirname, "..", "..");
const REFERENCE = path.join(ROOT, "docs", "reference");

const commands = path.join(REFERENCE, "command-line");
rmSync(commands, { recursive: true, force: true });
mkdirSync(commands, { recursive: true });
for (const { name, page } of commandPages(await allCommands())) writeFileSync(path.join(commands, `${name}.md`), page);

// Its links lead from lab/notes, and stay links to files of the repository.
const papers = readFileSync(path.join(ROOT, "lab", "notes", "papers.md"), "utf8");
writeFileSync(path.join(REFERENCE, "papers.md"), papers.replaceAll(/\]\((\w[\w-]*\.md)/g, "](../../lab/notes/$1"));

const library = path.join(REFERENCE, "library");
const { exports } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
const app = await Application.bootstrapWithPlugins({
  name: "Library",
  plugin: ["typedoc-plugin-markdown"],
  out: library,
  tsconfig: path.join(ROOT, "tsconfig.json"),
  entryPoints: Object.values(exports).map(({ types }) =>
    path.join(ROOT, types.replace("./dist", "src").replace(".d.ts", ".ts")),
  ),
  basePath: path.join(ROOT, "src"),
  readme: "none",
  disableSources: true,
  excludePrivate: true,
  excludeInternal: true,
  outputFileStrategy: "modules",
  entryFileName: "index",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  logLevel: "Error",
});
const project = await app.convert();
if (!project) throw new Error("TypeDoc cannot read src/");
rmSync(library, { recursive: true, force: true });
await app.generateOutputs(project);
if (app.logger.hasErrors()) throw new Error("TypeDoc reports errors");
