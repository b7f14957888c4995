import { CommanderError } from "commander";
import { InputError } from "../core/errors.js";
import { oneLine } from "../files/refusal.js";
import { DeviceError, DeviceLostError } from "../gpu/device-error.js";

/** What the exit code of every command means. */
export const EXIT = { ok: 0, failed: 1, badInput: 2, belowRequired: 3, interrupted: 130 } as const;

/** The time that was given is over, and there is nothing to show for it. */
export class TimeUp extends Error {
  override readonly name = "TimeUp";
}

/** The exit code for what a command threw, and the line that says what went wrong; commander has said its own already. */
export function outcomeOf(error: unknown): { readonly code: number; readonly line: string | null } {
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? EXIT.ok : EXIT.badInput, line: null };
  if (error instanceof InputError || error instanceof DeviceError) {
    // Nothing that was asked for is wrong where a device went away in the middle.
    const code = error instanceof DeviceLostError ? EXIT.failed : EXIT.badInput;
    return { code, line: `rmap: ${oneLine(error.message)}` };
  }
  if (error instanceof TimeUp) return { code: EXIT.failed, line: `rmap: ${oneLine(error.message)}` };
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const line = `rmap: this is a defect in rmap, please report it: ${oneLine(what.replace(/\s+/g, " "))}`;
  return { code: EXIT.failed, line };
}
