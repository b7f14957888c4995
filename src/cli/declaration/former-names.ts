import { printProblem } from "../print.js";
import type { CommandDeclaration } from "./declaration.js";

/** The words of a command line with names of earlier versions replaced by today's, each with a note. */
export function withNamesOfToday({ options, methods }: CommandDeclaration, args: readonly string[]): string[] {
  const all = [options, ...Object.values(methods?.of ?? {}).map((method) => method.options)].flatMap((one) =>
    Object.values(one),
  );
  const former = new Map(all.flatMap((one) => one.former.map(({ old, now }) => [old, now])));
  const end = args.indexOf("--");
  return args.flatMap((arg, n) => {
    if (end >= 0 && n > end) return [arg];
    const [, name, rest] = /^(--[^=]+|-[A-Za-z])=?(.*)$/s.exec(arg) ?? [];
    const now = name === undefined ? undefined : former.get(name);
    if (now === undefined) return [arg];
    printProblem(`note: ${name} is ${now.join(" ")} now; the old name will go with the next version`);
    return rest === "" ? [...now] : [...now, rest];
  });
}
