import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { slug } from "github-slugger";
import { defineConfig } from "vitepress";

const DOCS = path.join(import.meta.dirname, "..");

/** Folders of pages in the order of the sidebar, and within each the pages that come first; the others follow by name. */
const SECTIONS = [
  { text: "Begin", folder: ".", first: ["tutorial", "examples", "gallery"] },
  {
    text: "How to",
    folder: "how-to",
    first: ["wrong-tracks", "page", "own-costs", "long-recordings", "compare", "images"],
  },
  { text: "Explanation", folder: "explanation", first: ["concept", "motion", "proofs", "mathematics"] },
  { text: "Reference", folder: "reference", first: ["formats", "scenario", "scores", "results"] },
  { text: "Command line", folder: "reference/command-line", first: ["index"], collapsed: true },
  { text: "Library", folder: "reference/library", first: ["index"], collapsed: true },
];

function sidebar() {
  return SECTIONS.map(({ text, folder, first, collapsed }) => {
    const names = pagesOf(folder);
    const rank = (name) => (first.includes(name) ? first.indexOf(name) : first.length);
    const items = names
      .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
      .map((name) => ({
        text: titleOf(folder, name),
        link: path.posix.join("/", folder, name === "index" ? "/" : name),
      }));
    return { text, items, ...(collapsed && { collapsed }) };
  }).filter(({ items }) => items.length > 0);
}

function pagesOf(folder) {
  if (!existsSync(path.join(DOCS, folder))) return [];
  return readdirSync(path.join(DOCS, folder))
    .filter((file) => file.endsWith(".md") && !(folder === "." && file === "index.md"))
    .map((file) => file.slice(0, -3));
}

function titleOf(folder, name) {
  const heading = /^# (.+)$/m.exec(readFileSync(path.join(DOCS, folder, `${name}.md`), "utf8"));
  if (heading === null) throw new Error(`docs/${folder}/${name}.md: has no line "# title"`);
  return heading[1].replace(/[\\`]/g, "");
}

/** Formulas as GitHub writes them, so that a page reads the same there: blocks marked `math`, and $`…`$ within a line. */
function githubMath(md) {
  md.core.ruler.before("normalize", "github-math", (state) => {
    state.src = state.src
      .replace(/^```math\n([\s\S]*?)^```$/gm, (_, formula) => `$$\n${formula}$$`)
      .replace(/\$`([^`]+)`\$/g, (_, formula) => `$${formula}$`);
  });
}

/** A link to a file of the repository that is no page of the site, such as ../CONTRIBUTING.md, becomes the file's name beside its text. */
function repositoryFiles(md) {
  md.core.ruler.push("repository-files", (state) => {
    const folder = path.posix.dirname(state.env.relativePath ?? "");
    for (const { children } of state.tokens) {
      let outside = null;
      for (const token of children ?? []) {
        if (token.type === "link_open") {
          const href = token.attrGet("href");
          const target = path.posix.normalize(path.posix.join("docs", folder, href));
          outside = href.startsWith(".") && !target.startsWith("docs/") ? target : null;
          if (outside !== null) Object.assign(token, { type: "html_inline", tag: "", content: "" });
        } else if (token.type === "link_close" && outside !== null) {
          Object.assign(token, {
            type: "html_inline",
            tag: "",
            content: ` (<code>${outside}</code> in the repository)`,
          });
          outside = null;
        }
      }
    }
  });
}

export default defineConfig({
  title: "rmap",
  description: "Tracks from detections, with a proof of how far from optimal they can be",
  cleanUrls: false,
  // Headings are named as on GitHub, so that a link to a section holds in both places.
  markdown: {
    math: true,
    anchor: { slugify: (heading) => slug(heading) },
    config: (md) => md.use(githubMath).use(repositoryFiles),
  },
  themeConfig: {
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: { provider: "local" },
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "How to", link: "/how-to/wrong-tracks" },
      { text: "Concept", link: "/explanation/concept" },
      { text: "Reference", link: "/reference/command-line/" },
    ],
  },
  vite: { build: { chunkSizeWarningLimit: 4000 } },
});
