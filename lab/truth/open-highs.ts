import type { OpenLinearProgram } from "../../src/map/exact/linear-program.js";
import { loadHighs } from "../../src/run/highs.js";

let opened: Promise<OpenLinearProgram> | null = null;

/** HiGHS, once for all, without which an attack on the exact solve would prove nothing. */
export function openHighs(): Promise<OpenLinearProgram> {
  opened ??= loadHighs().then((highs) => {
    if (highs === null) throw new Error("the package highs is not installed");
    return highs.open;
  });
  return opened;
}
