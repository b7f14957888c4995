// A task of test/run/hosts.test.ts that is not the first one: FOLDER FACTS. It says why it ended, where it did not end well.
import { serveFirst, taskOf } from "../../dist/run/shards/hosts.js";

const [folder, facts] = process.argv.slice(2);
const settings = /** @type {const} */ ({ device: "cpu", threads: 1, xLaps: "auto" });
process.stdout.write((await serveFirst(taskOf(folder), JSON.parse(facts), settings, 30)) ?? "");
