/** Seconds since the process started. */
export const now = (): number => performance.now() / 1000;
