/** The page's worker: one session, whose functions are called by messages. */
import type { Call, Message } from "./protocol.js";
import { Session } from "./session.js";

const scope = self as unknown as {
  postMessage(message: Message): void;
  onmessage: (event: MessageEvent<Call>) => void;
};
const session = new Session((progress) => scope.postMessage({ progress }));

/** One call after another; stop alone is heard in between. */
let last: Promise<void> = Promise.resolve();

scope.onmessage = ({ data }) => {
  if (data.name === "stop") session.stop();
  else last = last.then(() => answer(data));
};

async function answer({ id, name, args }: Call): Promise<void> {
  try {
    const work = session[name] as (...args: unknown[]) => unknown;
    scope.postMessage({ id, result: await work.apply(session, [...args]) });
  } catch (error) {
    scope.postMessage({ id, error: wordsOf(error) });
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof RangeError && /allocation|length/i.test(error.message))
    return `This is too large for the memory that the browser gives (${error.message}).`;
  const words = error instanceof Error ? error.message : String(error);
  return / --[a-z]/.test(words) ? `${words} (options are those of rmap on the command line)` : words;
}
