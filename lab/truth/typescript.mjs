import { readFileSync } from "node:fs";
import ts from "typescript";

/** Imports a TypeScript file of the tests that needs nothing at run time: its types are stripped, and Node runs the rest. */
export function importTypeScript(url) {
  const { outputText } = ts.transpileModule(readFileSync(url, "utf8"), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true },
  });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}
