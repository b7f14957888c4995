import { dirname } from "node:path";
import { ensureFolder, writeWhole } from "../../files/whole-file.js";
import { pageOf } from "../../run/page.js";
import { command, option, optionalArgument } from "../declaration/declaration.js";
import { Interrupt } from "../interrupt.js";
import { showInBrowser } from "../open.js";
import { inputFolder, outputFile } from "../options/files.js";
import { printText, textOf } from "../print.js";
import { serve } from "./serve.js";

export const page = command({
  group: "Tracks",
  summary: "Look at tracks, doubt, correct and solve them again, on one page that works offline.",
  arguments: {
    run: optionalArgument(
      "folder of rmap solve -o, detections, a graph or a simulated scenario that the page opens with [an empty page]",
      inputFolder(["result.json", "tracks.csv", "proof.json"]),
    ),
  },
  options: {
    output: option("-o, --output <file>", "write the page there, and serve nothing", outputFile),
  },
  examples: [
    "rmap page results/demo",
    "rmap page results/demo -o demo.html",
    "rmap page detections.csv -o mine.html",
    "rmap page -o rmap.html",
  ],
  notes: `The page reads, solves, checks proofs and writes corrections by itself: it needs no server and no other file, and its policy forbids it to load or send
anything. Without -o it is served on 127.0.0.1 alone, and shown by the program that the system, or BROWSER, has for it, until Ctrl-C.`,
  async run({ run }, { output }) {
    if (output !== undefined) ensureFolder(dirname(output));
    const html = pageOf(run);
    if (output !== undefined) {
      writeWhole(output, html);
      return { text: textOf([`wrote ${output}`]), json: { output, bytes: Buffer.byteLength(html) } };
    }
    const { address, close } = await serve(html);
    printText(textOf([`${address} shows it; Ctrl-C ends`]));
    await showInBrowser(address);
    await new Promise<void>((resolve) => {
      const interrupt = new Interrupt(() => {
        interrupt.close();
        resolve();
      });
      interrupt.listen();
      interrupt.answer();
    });
    close();
    return undefined;
  },
});
