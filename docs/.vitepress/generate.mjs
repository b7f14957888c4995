// Writes the pages that are made from the program itself: the command line's from its definitions, the library's from the doc
// comments of src/; the page of the papers, which is the lab's; and recordings on pages to play with. All are left out of git.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Application } from "typedoc";
import { allCommands } from "../../dist/cli/commands.js";
import { commandPages } from "../../dist/cli/declaration/reference.js";
import { pageOf } from "../../dist/run/page.js";

const ROOT = path.join(import.meta.dirname, "..", "..");
const REFERENCE = path.join(ROOT, "docs", "reference");

const commands = path.join(REFERENCE, "command-line");
rmSync(commands, { recursive: true, force: true });
mkdirSync(commands, { recursive: true });
for (const { name, page } of commandPages(await allCommands())) writeFileSync(path.join(commands, `${name}.md`), page);

// Its links lead from lab/notes, and stay links to files of the repository.
const papers = readFileSync(path.join(ROOT, "lab", "notes", "papers.md"), "utf8");
writeFileSync(path.join(REFERENCE, "papers.md"), papers.replaceAll(/\]\((\w[\w-]*\.md)/g, "](../../lab/notes/$1"));

const EXAMPLES = {
  "demo.json":
    "simulated targets: sliders set how many there are, for how many frames, how dense, and how well they are seen",
  "data/opensky_uk_60s.csv": "82 aircraft over England, a report a minute",
  "data/ucy_zara02_0.8s.csv": "204 pedestrians in a street; around frame 396 nobody can tell who is who",
  "data/ngsim_us101_0.5s.csv": "22 cars on a highway",
};
// Files are named on the page as they are given.
process.chdir(ROOT);
const examples = path.join(ROOT, "docs", "public", "examples");
rmSync(examples, { recursive: true, force: true });
mkdirSync(examples, { recursive: true });
const pageName = (file) => `${path.parse(file).name}.html`;
for (const file of Object.keys(EXAMPLES))
  writeFileSync(path.join(examples, pageName(file)), pageOf(`scenarios/${file}`));
const listed = Object.entries(EXAMPLES).map(
  ([file, what]) => `- <a href="examples/${pageName(file)}" target="_self">${what}</a>`,
);
writeFileSync(
  path.join(ROOT, "docs", "examples.md"),
  `# Examples to play with

A simulation and recordings that come with rmap, each on [the page](how-to/page.md) that \`rmap page\` makes of it. Press "Solve": the tracks are found and proved in your browser, and nothing is sent.

${listed.join("\n")}

The pedestrians are those of A. Lerner, Y. Chrysanthou and D. Lischinski, "Crowds by Example", Computer Graphics Forum 26 (3), 2007. All sources and licences: [scenarios/data](../scenarios/data/README.md).
`,
);

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
