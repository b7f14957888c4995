import { afterAll, beforeAll } from "vitest";
import { openSession } from "../../src/gpu/open-session.js";
import type { GpuSession } from "../../src/gpu/session.js";

/** A session on the software adapter for the tests of a file. Without an adapter they fail; they never skip. */
export function useSoftwareSession(): () => GpuSession {
  let session: GpuSession | null = null;
  beforeAll(async () => {
    session = await openSession("software");
  });
  afterAll(async () => {
    await session?.close();
  });
  return () => {
    if (session === null) throw new Error("no software adapter: these tests must not pass without one");
    return session;
  };
}
