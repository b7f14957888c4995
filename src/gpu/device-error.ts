/** A device that is missing, lost or too small: the message says what happened and what to do about it. */
export class DeviceError extends Error {
  override readonly name = "DeviceError";
}

/** A device that was lost while it was at work; the input need not be at fault. */
export class DeviceLostError extends DeviceError {}

/** The device cannot hold something. Code that knows what the memory is for throws it again with a remedy of its own. */
export class DeviceMemoryError extends DeviceError {
  constructor(
    readonly what: string,
    remedy = "use less data at once, or the CPU",
  ) {
    super(`${what}: ${remedy}`);
  }
}
