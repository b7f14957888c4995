import { readdirSync } from "node:fs";
import path from "node:path";

/** Paths within docs/ of the pages that people write, sorted; the other pages are generated. */
export function writtenPages() {
  return readdirSync(path.join(import.meta.dirname, ".."), { recursive: true })
    .filter(
      (file) =>
        file.endsWith(".md") &&
        !/^(node_modules\/|\.vitepress\/|public\/|examples\.md$|reference\/(library\/|command-line\/|papers\.md$))/.test(
          file,
        ),
    )
    .sort();
}
