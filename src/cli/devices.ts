import { findAdapter, listDevices } from "../gpu/adapter.js";
import { command } from "./declaration/declaration.js";

export const devices = command({
  group: "About this program and machine",
  summary: "List the devices that rmap can compute on, and the one that --device auto takes.",
  arguments: {},
  options: {},
  examples: ["rmap devices", "rmap devices --json"],
  async run() {
    const found = await listDevices();
    const auto = (await findAdapter("auto"))?.description.name ?? "cpu";
    const lines = found.flatMap(({ kind, name, backend, driver, maxBindingBytes, maxWorkgroupBytes, subgroup }) => [
      `${kind.padEnd(9)} ${name} (${backend}${driver === "" ? "" : `, ${driver}`})`,
      `          largest binding ${maxBindingBytes} bytes, workgroup memory ${maxWorkgroupBytes} bytes, subgroups of ${subgroup.join(" to ")}`,
    ]);
    const text = [...lines, "cpu       f64, worker threads", `--device auto takes: ${auto}`, ""].join("\n");
    return { text, json: { auto, devices: found } };
  },
});
