import { Command, type Option, Option as OptionOf } from "commander";
import { InputError } from "../core/errors.js";
import { DEVICE_CHOICES } from "../gpu/adapter.js";
import type { DetectFlags } from "./detect/method.js";
import { DETECT_METHODS } from "./detect/methods.js";
import { imageInput, outputFile, several } from "./named-files.js";
import { printText } from "./print.js";

const COMMON = new Set(["method", "output", "device", "json"]);

export function detectCommand(): Command {
  const names = Object.keys(DETECT_METHODS);
  const command = new Command("detect")
    .description("Find keypoints, corners, edges or targets in images.")
    .argument("<image...>", "PNG, PGM or PPM files; see the method for sequences", several(imageInput))
    .addOption(new OptionOf("--method <name>", "what is looked for and how").choices(names).makeOptionMandatory())
    .option("-o, --output <file>", "write there; a folder where there are several images", outputFile)
    .addOption(new OptionOf("--device <name>", "where it runs").choices(DEVICE_CHOICES).default("auto"))
    .option("--json", "print one JSON object");
  for (const option of ownOptions()) command.addOption(option);
  const methods = names.map((name) => `  ${name.padEnd(14)} ${DETECT_METHODS[name].description}`);
  const examples = names.flatMap((name) => DETECT_METHODS[name].examples.map((example) => `  $ ${example}`));
  return command
    .addHelpText("after", `\nMethods:\n${methods.join("\n")}\n\nExamples:\n${examples.join("\n")}`)
    .action(async (inputs: string[], flags: DetectFlags & { method: string; json?: true }, self: Command) => {
      const method = DETECT_METHODS[flags.method];
      refuseOthersOptions(self, flags.method, method.options);
      const { text, json } = await method.run(inputs, flags);
      printText(flags.json ? `${JSON.stringify({ method: flags.method, ...json })}\n` : text);
    });
}

/** Every option of any method once, with the description of the first method that has it. */
function ownOptions(): Option[] {
  const byName = new Map<string, Option>();
  for (const { options } of Object.values(DETECT_METHODS)) {
    for (const option of options)
      if (!byName.has(option.long ?? option.flags)) byName.set(option.long ?? option.flags, option);
  }
  // --x comes before --no-x; otherwise commander sets x where neither is given.
  return [...byName.values()].sort((a, b) => Number(a.negate) - Number(b.negate));
}

function refuseOthersOptions(command: Command, method: string, options: readonly Option[]): void {
  const own = new Set(options.map((option) => option.attributeName()));
  for (const option of command.options) {
    const name = option.attributeName();
    if (COMMON.has(name) || own.has(name) || command.getOptionValueSource(name) !== "cli") continue;
    const takers = Object.keys(DETECT_METHODS).filter((other) =>
      DETECT_METHODS[other].options.some((one) => one.attributeName() === name),
    );
    throw new InputError(`--method ${method} takes no ${option.long}; it belongs to ${takers.join(", ")}`);
  }
}
