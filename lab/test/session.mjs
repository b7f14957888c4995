import { afterAll, beforeAll } from "vitest";
import { openSession } from "../../dist/gpu/open-session.js";

/**
 * A session on the software adapter for the tests of a file. Without an adapter they fail; they never skip.
 * @returns {() => import("../../dist/gpu/session.js").GpuSession}
 */
export function useSoftwareSession() {
  let session = null;
  beforeAll(async () => {
    session = await openSession("software");
  });
  afterAll(() => session?.close());
  return () => {
    if (session === null) throw new Error("no software adapter: these tests must not pass without one");
    return session;
  };
}
