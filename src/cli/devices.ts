import { Command } from "commander";
import { findAdapter, listDevices } from "../gpu/adapter.js";
import { printText } from "./print.js";

export function devicesCommand(): Command {
  return new Command("devices")
    .description("List the devices an ascent can run on, and the one that --device auto takes.")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      `
Examples:
  $ rmap devices
  $ rmap devices --json`,
    )
    .action(async ({ json }: { json?: true }) => {
      const devices = await listDevices();
      const chosen = (await findAdapter("auto"))?.description.name ?? "cpu";
      if (json) {
        printText(`${JSON.stringify({ auto: chosen, devices })}\n`);
        return;
      }
      const lines = devices.flatMap(({ kind, name, backend, driver, maxBindingBytes, maxWorkgroupBytes, subgroup }) => [
        `${kind.padEnd(9)} ${name} (${backend}${driver === "" ? "" : `, ${driver}`})`,
        `          largest binding ${maxBindingBytes} bytes, workgroup memory ${maxWorkgroupBytes} bytes, subgroups of ${subgroup.join(" to ")}`,
      ]);
      printText([...lines, "cpu       f64, worker threads", `--device auto takes: ${chosen}`, ""].join("\n"));
    });
}
