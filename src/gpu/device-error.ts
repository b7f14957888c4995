/** A device that is missing, lost or too small: the message says what happened and what to do about it. */
export class DeviceError extends Error {
  override readonly name = "DeviceError";
}

/** A device that went away while it was at work: what was asked for may be as it should. */
export class DeviceLostError extends DeviceError {}

/** The device cannot hold something. Who knows what the memory is for throws it again with a remedy of its own. */
export class DeviceMemoryError extends DeviceError {
  constructor(
    readonly what: string,
    remedy = "use less data at once, or --device cpu",
  ) {
    super(`${what}: ${remedy}`);
  }
}
