import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a compiled program of the lab in the root of the checkout. */
function run(program: string, args: readonly string[]): Promise<Outcome> {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [`dist-lab/${program}`, ...args], { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

/** Expects success without a word on stderr; returns stdout. */
export async function succeeds(program: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(program, args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** Expects bad usage; returns stderr. */
export async function refuses(program: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(program, args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  return stderr;
}
