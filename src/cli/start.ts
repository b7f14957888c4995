#!/usr/bin/env node
import { compileLess } from "../core/compile-less.js";
import { explained } from "../files/refusal.js";
import { EXIT, outcomeOf } from "./exit.js";
import { runProgram } from "./program.js";

// A closed pipe (rmap … | head) ends the program quietly; a full disk does not.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT.ok);
    // Where standard error is what cannot be written, nobody can be told.
    if (stream === process.stdout) process.stderr.write(`${outcomeOf(explained("standard output", error)).line}\n`);
    process.exit(EXIT.failed);
  });
}

compileLess();
await runProgram(process.argv.slice(2));
