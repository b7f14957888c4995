import { DEVICE_CHOICES } from "../dist/gpu/adapter.js";

/**
 * The device that a script's command line names.
 * @param {string} name
 */
export function deviceNamed(name) {
  const choice = DEVICE_CHOICES.find((one) => one === name);
  if (choice === undefined) throw new Error(`device ${name}: give one of ${DEVICE_CHOICES.join(", ")}`);
  return choice;
}
