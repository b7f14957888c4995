import { Readable } from "node:stream";

/** What a run of the program came to. */
export interface Outcome {
  /** Exit code; null when a signal ended the program. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the program inside this process, which spares its start. Working folder, streams and exit code are the process's: one run after the other.
 * @param stdin what it reads from standard input
 */
export async function runInside(
  runProgram: (args: readonly string[]) => Promise<void>,
  args: readonly string[],
  cwd?: string,
  stdin?: string,
): Promise<Outcome> {
  const before = { cwd: process.cwd(), exitCode: process.exitCode };
  const input = Object.getOwnPropertyDescriptor(process, "stdin") as PropertyDescriptor;
  const heard = { stdout: "", stderr: "" };
  const streams = ["stdout", "stderr"] as const;
  const writes = streams.map((stream) => {
    const { write } = process[stream];
    process[stream].write = ((text: string | Uint8Array) => {
      heard[stream] += typeof text === "string" ? text : Buffer.from(text).toString();
      return true;
    }) as typeof write;
    return write;
  });
  try {
    process.exitCode = undefined;
    if (cwd !== undefined) process.chdir(cwd);
    if (stdin !== undefined) {
      const value = Readable.from([Buffer.from(stdin)]);
      Object.defineProperty(process, "stdin", { value, configurable: true, enumerable: true });
    }
    await runProgram(args);
    return { code: Number(process.exitCode ?? 0), ...heard };
  } finally {
    process.chdir(before.cwd);
    process.exitCode = before.exitCode;
    Object.defineProperty(process, "stdin", input);
    streams.forEach((stream, k) => {
      process[stream].write = writes[k];
    });
  }
}
