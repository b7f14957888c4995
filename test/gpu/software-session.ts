import { afterAll, beforeAll } from "vitest";
import { openSession } from "../../src/gpu/open-session.js";
import type { GpuSession } from "../../src/gpu/session.js";

/** The session of this process: test files share it, and the kernels that it has compiled. It ends with the process. */
let shared: Promise<GpuSession | null> | null = null;

/** A session on the software adapter for the tests of a file. Without an adapter they fail; they never skip. */
export function useSoftwareSession(): () => GpuSession {
  let session: GpuSession | null = null;
  let restless = () => {};
  beforeAll(async () => {
    restless = restBetweenPolls();
    shared ??= openSession("software");
    session = await shared;
  });
  afterAll(() => {
    restless();
    // An error that no call has told belongs to this file, and not to the next one.
    session?.check();
  });
  return () => {
    if (session === null) throw new Error("no software adapter: these tests must not pass without one");
    return session;
  };
}

/** Polls without a pause, after which most small dispatches have ended. Of 0, 3, 10 and 30, the tests of test/gpu and test/pixels took least processor time with 10. */
const EAGER_POLLS = 10;

/**
 * While something is awaited, Dawn polls from setImmediate without a pause and takes a whole core from the software device. Here a millisecond lies
 * between two polls, but for the first ones.
 * @returns what ends this
 */
function restBetweenPolls(): () => void {
  const immediate = globalThis.setImmediate;
  let [polls, isPolling] = [0, false];
  const resting = (poll: (...args: unknown[]) => void, ...args: unknown[]) => {
    if (!/\[native code\]/.test(String(poll))) return immediate(poll, ...args);
    // A poll that finds nothing asks for the next one; one that is asked for from elsewhere begins a wait.
    polls = isPolling ? polls + 1 : 0;
    const once = () => {
      isPolling = true;
      poll(...args);
      isPolling = false;
    };
    return polls < EAGER_POLLS ? immediate(once) : setTimeout(once, 1);
  };
  globalThis.setImmediate = Object.assign(resting, immediate) as unknown as typeof setImmediate;
  return () => {
    globalThis.setImmediate = immediate;
  };
}
