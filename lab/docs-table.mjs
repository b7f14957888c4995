import { readFileSync, writeFileSync } from "node:fs";

/**
 * Puts a table between the marks `<!-- table name -->` and `<!-- /table name -->` of a page.
 * @param {string} page its file
 * @param {string} name of the marks
 * @param {string} table Markdown, with a line break at its end
 */
export function putTable(page, name, table) {
  const marked = new RegExp(`(<!-- table ${name} -->\\n)[\\s\\S]*?(<!-- /table ${name} -->)`);
  const text = readFileSync(page, "utf8");
  if (!marked.test(text)) throw new Error(`${page}: has no <!-- table ${name} --> … <!-- /table ${name} -->`);
  writeFileSync(
    page,
    text.replace(marked, (_, open, close) => `${open}\n${table}\n${close}`),
  );
}
