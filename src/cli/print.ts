import { oneLine } from "../files/refusal.js";

/** Writes lines for a person, or JSON, with whatever control characters names of the input brought made visible. */
export function printText(text: string, stream: NodeJS.WriteStream = process.stdout): void {
  stream.write(text.split("\n").map(oneLine).join("\n"));
}
