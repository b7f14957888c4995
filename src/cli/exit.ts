import { CommanderError } from "commander";
import { InputError } from "../core/errors.js";
import { oneLine } from "../files/refusal.js";
import { DeviceError, DeviceLostError } from "../gpu/device-error.js";

/** The exit codes of every command. */
export const EXIT = { ok: 0, failed: 1, badInput: 2, belowRequired: 3, interrupted: 130 } as const;

/** The time limit was reached before there was a result. */
export class TimeUp extends Error {
  override readonly name = "TimeUp";
}

/** The exit code for an exception of a command, and the line that explains it; commander has printed its own message already. */
export function outcomeOf(error: unknown): { readonly code: number; readonly line: string | null } {
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? EXIT.ok : EXIT.badInput, line: null };
  if (error instanceof InputError || error instanceof DeviceError) {
    // A device that was lost during the work is no fault of the input.
    const code = error instanceof DeviceLostError ? EXIT.failed : EXIT.badInput;
    return { code, line: `rmap: ${oneLine(error.message)}` };
  }
  if (error instanceof TimeUp) return { code: EXIT.failed, line: `rmap: ${oneLine(error.message)}` };
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const line = `rmap: this is a defect in rmap, please report it: ${oneLine(what.replace(/\s+/g, " "))}`;
  return { code: EXIT.failed, line };
}
