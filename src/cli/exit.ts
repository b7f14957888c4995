/** What the exit code of every command means. */
export const EXIT = { ok: 0, failed: 1, badInput: 2, belowRequired: 3, interrupted: 130 } as const;
