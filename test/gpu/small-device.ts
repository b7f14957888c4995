import type { GpuSession } from "../../src/gpu/session.js";

/** The same object but for one property. */
const changed = <T extends object>(whole: T, name: string, other: unknown): T =>
  new Proxy(whole, {
    get: (own, key) => {
      if (key === name) return other;
      const value = Reflect.get(own, key, own);
      return typeof value === "function" ? value.bind(own) : value;
    },
  });

/** The session of a device that binds this many bytes at most. */
export function binding(session: GpuSession, bytes: number): GpuSession {
  const { device } = session;
  const limits = changed(device.limits, "maxStorageBufferBindingSize", bytes);
  return changed(session, "device", changed(device, "limits", limits));
}
