// Runs command lines of rmap in this process, one after the other, and says the exit code of each on stderr. Usage: node in-turn.mjs '[["solve","a.csv"], …]'
import { runProgram } from "../../dist/cli/program.js";

for (const args of JSON.parse(process.argv[2])) {
  process.exitCode = 0;
  await runProgram(args);
  process.stderr.write(`code ${process.exitCode}\n`);
}
process.exitCode = 0;
