/** A device that is missing, lost or too small: the message says what happened and what to do about it. */
export class DeviceError extends Error {
  override readonly name = "DeviceError";
}
