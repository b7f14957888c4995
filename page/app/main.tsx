/** The page: what it is made of, and how it begins. */
import { effect } from "@preact/signals";
import { render } from "preact";
import { connect, showWhole, unpack } from "./actions.js";
import { takeDropped, takeList } from "./files.js";
import { followImages } from "./images.js";
import { KEY_LIST, listenToKeys } from "./keys.js";
import { Look } from "./look.jsx";
import { Chosen, Proofread, Summary } from "./panel.jsx";
import { Simulated } from "./simulation.jsx";
import { Stage } from "./stage.jsx";
import * as state from "./state.js";
import { followPlay, Timeline } from "./timeline.jsx";
import { WorkerClient } from "./worker-client.js";

function App() {
  const [scene, busy, message] = [state.scene.value, state.busy.value, state.message.value];
  return (
    <>
      <header>
        <h1>rmap</h1>
        <Chooser />
        <p role="status" aria-live="polite" class={message?.isError ? "error" : ""} id="message">
          {busy === null ? message?.text : `${busy} …`}
        </p>
      </header>
      <main>
        <div class="stage">
          <Stage />
          {scene === null && busy === null && <Welcome />}
          <Timeline />
        </div>
        {scene !== null && (
          <aside aria-label="answer and view">
            <Summary />
            <Simulated />
            <Proofread />
            <Chosen />
            <Look />
            <Keys />
          </aside>
        )}
      </main>
    </>
  );
}

function Chooser() {
  return (
    <label class="chooser">
      Open files
      <input type="file" id="files" multiple onChange={({ currentTarget }) => takeList(currentTarget.files)} />
    </label>
  );
}

function Welcome() {
  return (
    <div class="welcome">
      <p>
        <b>Drop detections here:</b> a CSV with frame, x and y, text of MOTChallenge, TrackMate's XML, a folder of GEFF,
        or a folder that <code>rmap solve -o</code> wrote.
      </p>
      <p>Images go under them. A proof.json is checked against the detections that are open.</p>
      <p>Everything happens in this page. Nothing is uploaded.</p>
    </div>
  );
}

function Keys() {
  return (
    <details>
      <summary>Keys</summary>
      <dl class="keys">
        {KEY_LIST.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** The worker's script, which the page holds as gzipped base64. */
async function workerScript(): Promise<Blob> {
  const text = document.getElementById("worker")?.textContent ?? "";
  const bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  const unzipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Blob([await new Response(unzipped).arrayBuffer()], { type: "text/javascript" });
}

async function begin(): Promise<void> {
  connect(
    new WorkerClient(await workerScript(), (row) => {
      state.progress.value = [...state.progress.value, row];
    }),
  );
  render(<App />, document.getElementById("app") as HTMLElement);
  listenToKeys();
  followImages();
  followPlay();
  followAddress();
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer !== null) takeDropped(event.dataTransfer);
  });
  const data = document.getElementById("data")?.textContent?.trim() ?? "";
  if (data !== "") await unpack(data);
}

/** A recording is shown whole, unless the address says what to show of it. */
function followAddress(): void {
  let shown: unknown = null;
  effect(() => {
    const scene = state.scene.value;
    if (scene === null || scene === shown) return;
    const isFirst = shown === null;
    shown = scene;
    const { hash } = location;
    if (isFirst) state.readAddress(hash);
    // The picture has its size once what stands beside it is there.
    requestAnimationFrame(() => {
      if (!isFirst || !/[#&]view=/.test(hash)) showWhole();
    });
    document.title = `${scene.name} – rmap`;
  });
  state.followAddress();
}

begin();
