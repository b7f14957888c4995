import { oneLine } from "../files/refusal.js";
import { READ, WARNING } from "../formats/row-warnings.js";
import { provenance } from "../rows/provenance.js";

/** A line for a person: plain, or a text under its label. */
export type Line = string | readonly [label: string, text: string];

/**
 * Lines as text, each on one line whatever line breaks and control characters names of the input brought.
 * @param width of the labels
 */
export function textOf(lines: readonly Line[], width = 12): string {
  const plain = lines.map((line) => (typeof line === "string" ? line : `  ${line[0].padEnd(width)}${line[1]}`));
  return plain.map((line) => `${oneLine(line)}\n`).join("");
}

/** Writes lines for a person, or JSON, with whatever control characters names of the input brought made visible. */
export function printText(text: string, stream: NodeJS.WriteStream = process.stdout): void {
  stream.write(text.split("\n").map(oneLine).join("\n"));
}

/** Writes a problem on stderr, in one line. */
export function printProblem(problem: string): void {
  process.stderr.write(textOf([`rmap: ${problem}`]));
}

/** Prints the first note of its kind on stderr, and once that there are more: a sequence may have thousands of images. */
export function notesOnce(): (sentence: string) => void {
  /** The first sentence of each kind; null once it is said that there are more. */
  const heard = new Map<string, string | null>();
  return (sentence) => {
    const kind = sentence.slice(sentence.indexOf(": ")).replace(/\d+/g, "");
    const first = heard.get(kind);
    if (first === null || first === sentence) return;
    printProblem(first === undefined ? `note: ${sentence}` : "note: so it is with other images.");
    heard.set(kind, first === undefined ? sentence : null);
  };
}

/** What was understood of the file, and those of the notes that are warnings. */
export function warningsOf(file: string, notes: readonly string[]): string[] {
  const named = (note: string, start: string, said: string) =>
    note.startsWith(start) ? [`${file}: ${said}${note.slice(start.length)}`] : [];
  return notes.flatMap((note) => [...named(note, WARNING, "warning: "), ...named(note, READ, "read as ")]);
}

/** Writes those on stderr, for commands that print no notes; once the input is accepted, since a refusal is one line. */
export function printWarnings(file: string, notes: readonly string[]): void {
  for (const warning of warningsOf(file, notes)) printProblem(warning);
}

/** A note under its label. */
export function labelled(note: string): Line {
  return note.startsWith(WARNING) ? ["warning", note.slice(WARNING.length)] : ["note", note];
}

/** "1 frame", "2 frames". */
export function many(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** Why a bound is higher than multipliers prove it. */
export function grainNote(grain: number): string {
  return `costs are ${grain === 1 ? "integers" : `multiples of ${grain}`}, so the bound is rounded up`;
}

/** ", wrote a.csv, a.svg" of the files that were asked for, or nothing. */
export function wroteText(...files: readonly (string | undefined)[]): string {
  const written = files.filter((file) => file !== undefined);
  return written.length === 0 ? "" : `, wrote ${written.join(", ")}`;
}

/** The object of a result with the versions, the machine and the time of the run. */
export function withProvenance(result: object): object {
  return { ...result, ...provenance(new Date()) };
}

/** The end of a line that says where a run was: the reason for which "auto" took the CPU. */
export function andWhy(why: string | undefined): string {
  return why === undefined ? "" : `; ${why}`;
}

/** A line with the reason for which "auto" ran on the CPU, where there is one. */
export function whyText({ why }: { readonly why?: string | undefined }): string {
  return why === undefined ? "" : `ran on the CPU: ${why}\n`;
}

/** A path as it is typed on a command line. */
export function forShell(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
