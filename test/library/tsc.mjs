// Prints what TypeScript finds wrong in the program of tsconfig.json in this folder, in declarations of packages too. Those of TypeScript itself and of zod
// are checked in `npm run nightly` alone: they take three quarters of the time.
import ts from "typescript";

const config = ts.getParsedCommandLineOfConfigFile("tsconfig.json", undefined, {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: ({ messageText }) => console.log(messageText),
});
const program = ts.createProgram(config.fileNames, config.options);
const isNightly = process.env.RMAP_TEST_SEED !== undefined;
const checked = program
  .getSourceFiles()
  .filter(({ fileName }) => isNightly || !/node_modules\/(typescript|zod)\//.test(fileName));
const found = [
  ...config.errors,
  ...program.getOptionsDiagnostics(),
  ...program.getSyntacticDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...checked.flatMap((file) => program.getSemanticDiagnostics(file)),
];
process.stdout.write(ts.formatDiagnostics(found, { ...ts.sys, getNewLine: () => "\n", getCanonicalFileName: String }));
