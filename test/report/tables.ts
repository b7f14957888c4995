/** A table of the page, as text. */
export interface ReadTable {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The tables of the section `id`, read from the page's HTML without the code that wrote it. */
export function tablesOf(html: string, id: string): ReadTable[] {
  const section = new RegExp(`<section id="${id}">.*?</section>`, "s").exec(html)?.[0] ?? "";
  return [...section.matchAll(/<table>.*?<\/table>/gs)].map(([table]) => {
    const rows = [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, text]) => plain(text)),
    );
    return {
      caption: plain(/<caption>(.*?)<\/caption>/s.exec(table)?.[1] ?? ""),
      columns: rows[0],
      rows: rows.slice(1),
    };
  });
}

/** The cell of the only row that has `where`, in the column whose title starts with `title`. */
export function cell(table: ReadTable | undefined, where: Record<string, string>, title: string): string | undefined {
  if (table === undefined) return undefined;
  const found = table.rows.filter((row) =>
    Object.entries(where).every(([column, value]) => row[table.columns.indexOf(column)] === value),
  );
  return found.length === 1 ? found[0][table.columns.findIndex((name) => name.startsWith(title))] : undefined;
}

function plain(html: string): string {
  const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };
  return html.replace(/&\w+;/g, (entity) => entities[entity] ?? entity);
}
