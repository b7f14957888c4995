#!/usr/bin/env node
import { EXIT } from "./exit.js";
import { runProgram } from "./program.js";

// A closed pipe (rmap … | head) ends the program quietly.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? EXIT.ok : EXIT.failed);
  });
}

await runProgram(process.argv.slice(2));
