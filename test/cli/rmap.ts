import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { type Outcome, runInside } from "../../lab/truth/inside.js";

/** The compiled program, which `npm test` builds first: what a user runs. */
const built = new URL("../../dist/cli/", import.meta.url);
export const program = fileURLToPath(new URL("main.js", built));

const inTurnFile = fileURLToPath(new URL("in-turn.mjs", import.meta.url));

export const scenarios = fileURLToPath(new URL("../../scenarios/", import.meta.url));

export interface Call {
  readonly cwd?: string;
  /** Whether it is a process of its own: where a test is about its start or its end. */
  readonly alone?: true;
  readonly stdin?: string;
  /** On top of the test's own; for this and for a limit it is a process, too. */
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds after which the program is killed, and the test with it. */
  readonly limit?: number;
}

/**
 * Runs the compiled program inside the test's process, which spares its start, most of the time of a short run; or as a process of its own where the
 * call needs one.
 */
export function rmap(args: readonly string[], call: Call = {}): Promise<Outcome> {
  const { alone, env, limit } = call;
  if ([alone, env, limit].some((one) => one !== undefined)) {
    return asProcess(args, call);
  }
  const outcome = earlier.then(() => inside(args, call));
  earlier = outcome.catch(() => {});
  return outcome;
}

/** Working folder, streams and exit code are the process's: one run inside it after the other. */
let earlier: Promise<unknown> = Promise.resolve();

async function inside(args: readonly string[], { cwd, stdin }: Call): Promise<Outcome> {
  const { runProgram } = await import(new URL("program.js", built).href);
  return runInside(runProgram, args, cwd, stdin);
}

function asProcess(
  args: readonly string[],
  { cwd, stdin, env, limit = 60_000 }: Call = {},
  file = program,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args], { cwd, env: { ...process.env, ...env } });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`rmap ${args.join(" ")}: no end after ${limit} ms`));
    }, limit);
    const heard = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        heard[stream] += text;
      });
    }
    // The program may refuse its arguments before it reads anything.
    child.stdin.on("error", () => {});
    child.stdin.end(stdin ?? "");
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, ...heard });
    });
  });
}

/** Runs several command lines in one process of their own, one after the other; what each says on stderr, and its exit code. */
export async function inTurn(
  lines: readonly (readonly string[])[],
  call: Call = {},
): Promise<{ code: number; stderr: string }[]> {
  const { code, stderr } = await asProcess([JSON.stringify(lines)], call, inTurnFile);
  expect(code, stderr).toBe(0);
  return [...stderr.matchAll(/(.*?)code (\d+)\n/gs)].map(([, said, end]) => ({ code: Number(end), stderr: said }));
}

/** Runs and expects success without a word on stderr; returns stdout. */
export async function succeeds(args: readonly string[], call: Call = {}): Promise<string> {
  const { code, stdout, stderr } = await rmap(args, call);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** Runs and expects exit code 2, one line on stderr, nothing on stdout; returns the line. */
export async function refuses(args: readonly string[], call: Call = {}): Promise<string> {
  const { code, stdout, stderr } = await rmap(args, call);
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^rmap: \S[^\n]*\n$/);
  expect(stderr).not.toMatch(/defect|undefined|\[object|\bat .*\.js/);
  return stderr;
}

/** Refuses `args` with `-o` to a folder of its own, and leaves nothing there. */
export async function refusesAndWritesNothing(folder: string, args: readonly string[]): Promise<string> {
  const output = join(mkdtempSync(join(folder, "refused-")), "out");
  const line = await refuses([...args, "-o", output], { cwd: folder });
  expect(existsSync(output) ? readdirSync(output) : []).toEqual([]);
  return line;
}

/** The one JSON object that `rmap … --json` printed. */
export function onlyObject(stdout: string): Record<string, unknown> {
  expect(stdout).toMatch(/^\{[^\n]*\}\n$/);
  return JSON.parse(stdout) as Record<string, unknown>;
}
