/** Program of a worker thread of a team, by the name #team-worker of package.json. */
import { pathToFileURL } from "node:url";
import { receiveMessageOnPort, workerData } from "node:worker_threads";
import { InputError } from "./errors.js";
import type { WorkerStart } from "./team.js";
import { type CrewMessage, doItems, WORD, type Work } from "./team-work.js";

const start = workerData as WorkerStart;
const { words, number, port } = start;
const works = new Map<number, Work>();

async function hear({ crew, module, memory }: CrewMessage): Promise<void> {
  works.delete(crew);
  if (module === undefined) return;
  const { default: bind } = await import(pathToFileURL(module).href);
  works.set(crew, await bind(memory));
}

function fail(error: unknown): void {
  // A copy would lose what kind of error it is.
  port.postMessage(error instanceof InputError ? { input: error.message } : error);
  Atomics.store(words, WORD.failed, 1);
  Atomics.store(words, WORD.next, words[WORD.items]);
}

for (;;) {
  const seen = Atomics.load(words, WORD.generation);
  for (let heard = receiveMessageOnPort(port); heard !== undefined; heard = receiveMessageOnPort(port)) {
    await hear(heard.message).catch(fail);
  }
  // Who has counted itself is waited for, so that what is read while items are given out belongs together.
  Atomics.add(words, WORD.active, 1);
  const work = Atomics.load(words, WORD.open) === 1 && number < words[WORD.workers] && works.get(words[WORD.crew]);
  try {
    if (work) doItems(start, work);
  } catch (error) {
    fail(error);
  }
  if (Atomics.sub(words, WORD.active, 1) === 1) Atomics.notify(words, WORD.active);
  Atomics.wait(words, WORD.generation, seen);
}
