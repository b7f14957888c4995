import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { printProblem } from "./print.js";

const SYSTEM_OPENERS: Readonly<Record<string, string>> = { darwin: "open", win32: "explorer", linux: "xdg-open" };

/** Shows a file in the program that the system, or BROWSER, has for it. What cannot be shown is said on stderr, since the file is written all the same. */
export async function openFile(file: string): Promise<void> {
  if (!existsSync(file)) {
    printProblem(`--open: ${file} was not written, and is not shown`);
    return;
  }
  await show(file, "--open: ");
}

/** Shows an address in the program that the system, or BROWSER, has for it. */
export const showInBrowser = (address: string): Promise<void> => show(address, "");

async function show(what: string, option: string): Promise<void> {
  const opener = process.env.BROWSER || SYSTEM_OPENERS[process.platform];
  if (opener === undefined) {
    printProblem(`${option}no program is known that shows ${what}; set BROWSER to one`);
    return;
  }
  const child = spawn(opener, [what], { detached: true, stdio: "ignore" });
  const problem = await new Promise<string | null>((resolve) => {
    child.on("spawn", () => resolve(null)).on("error", ({ message }) => resolve(message));
  });
  child.unref();
  if (problem !== null)
    printProblem(`${option}${opener} cannot show ${what} (${problem}); open it yourself, or set BROWSER`);
}
