/** What stands beside the picture. */
import { CALIBRATION } from "../../dist/run/corrections/calibration.js";
import { trackColour } from "../view/colours.js";
import { type Answer, DEVICES, type Device, type Doubtful } from "../worker/protocol.js";
import { exportAll, goTo, judge, letGo, lookAt, next, present, solve, stop, undo } from "./actions.js";
import { Bounds } from "./bounds.jsx";
import { Lineage } from "./lineage.jsx";
import { Swatch, short } from "./look.jsx";
import * as state from "./state.js";

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? "" : "s"}`;

export function Summary() {
  const answer = state.answer.value;
  const scene = state.scene.value;
  if (scene === null) return null;
  return (
    <section aria-labelledby="answer-title">
      <h2 id="answer-title">{scene.name}</h2>
      <p>
        {scene.x.length} detections in {scene.frames} frames
        {answer !== null && <>, {counted(new Set(answer.track.filter((one) => one >= 0)).size, "track")}</>}
      </p>
      {answer?.upperBound != null && answer.lowerBound != null && (
        <p>
          <strong>{answer.status === "optimal" ? "Optimal: proved." : "Not proved optimal."}</strong> The tracks cost{" "}
          <span id="cost">{answer.upperBound}</span>; no others cost less than{" "}
          <span id="bound">{answer.lowerBound}</span>. They were found on{" "}
          <span id="device">{answer.device === "cpu" ? "the CPU" : answer.device}</span>.
        </p>
      )}
      {!scene.canSolve && <p>{scene.memory}</p>}
      {scene.canSolve && (
        <div class="row">
          <button type="button" id="solve" class="main" disabled={state.busy.value !== null} onClick={solve}>
            {answer === null ? "Solve" : "Solve again"}
          </button>
          {"gpu" in navigator && <Devices />}
          {state.busy.value === "Solving" && (
            <button type="button" onClick={stop}>
              Stop
            </button>
          )}
        </div>
      )}
      <Bounds />
      {scene.notes.length > 0 && (
        <details>
          <summary>{counted(scene.notes.length, "note")}</summary>
          <ul>
            {scene.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** Where the next solve runs; browsers without WebGPU have but the CPU. */
function Devices() {
  return (
    <label>
      on{" "}
      <select
        id="devices"
        value={state.device.value}
        onChange={({ currentTarget }) => (state.device.value = currentTarget.value as Device)}
      >
        {Object.entries(DEVICES).map(([device, words]) => (
          <option key={device} value={device}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Chosen() {
  const [track, answer, scene] = [state.selected.value, state.answer.value, state.scene.value];
  if (track === null || answer === null || scene === null) return null;
  const detections: number[] = [];
  for (let d = answer.track.indexOf(track); d >= 0; d = answer.next[d]) detections.push(d);
  if (detections.length === 0) return null;
  const frameOf = state.frameOf.value;
  const [first, last] = [detections[0], detections[detections.length - 1]];
  const margins = detections.map((d) => answer.margin?.[d] ?? Number.NaN).filter((one) => !Number.isNaN(one));
  return (
    <section id="chosen" aria-labelledby="chosen-title">
      <h2 id="chosen-title">
        <span class="swatch" style={{ background: trackColour(track) }} /> Track {track}
      </h2>
      <p>
        {counted(detections.length, "detection")}, frames {state.frameName(frameOf[first])} to{" "}
        {state.frameName(frameOf[last])}
        {margins.length > 0 && <>; its least sure link has the margin {short(Math.min(...margins))}</>}
      </p>
      <div class="row">
        <button type="button" onClick={() => lookAt(first)}>
          To its start
        </button>
        <button type="button" onClick={() => lookAt(last)}>
          To its end
        </button>
        <button type="button" onClick={letGo}>
          Let go
        </button>
      </div>
      <Lineage track={track} />
    </section>
  );
}

function nameOf({ kind, from, to }: Doubtful, { track }: Answer): string {
  const at = (d: number) => state.frameName(state.frameOf.value[d]);
  if (kind === "link") return `track ${track[from]}, frame ${at(from)} to ${at(to)}`;
  return kind === "start"
    ? `start of track ${track[to]}, frame ${at(to)}`
    : `end of track ${track[from]}, frame ${at(from)}`;
}

/** What the best answer without the present link would do, in words; the picture shows it. */
function InsteadOf() {
  const [other, answer] = [state.instead.value, state.answer.value];
  if (other === null || answer === null) return null;
  return (
    <p>
      The best answer without this link costs {short(other.dearer)} more. It has{" "}
      {counted(other.added.length / 2, "other link")}, drawn in orange.
    </p>
  );
}

/** Rows of the list around the cursor. */
const ROWS = 12;

function Calibrated() {
  return (
    <details>
      <summary>What a margin proves, and what it does not</summary>
      {CALIBRATION.sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <table>
        <thead>
          <tr>
            <th scope="col">margin</th>
            <th scope="col">links</th>
            <th scope="col">wrong</th>
          </tr>
        </thead>
        <tbody>
          {CALIBRATION.recordings.map(({ margin, links, wrong }) => (
            <tr key={margin}>
              <th scope="row">{margin}</th>
              <td>{links}</td>
              <td>{wrong}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function whyNoMargins({ next }: Answer): string {
  if (!next.some((to) => to >= 0)) return "There is none: each track is a single detection.";
  return `This answer has no margins${state.scene.value?.canSolve ? ": solve it here." : "."}`;
}

export function Proofread() {
  const [answer, counts] = [state.answer.value, state.counts.value];
  if (answer === null) return null;
  if (counts === null)
    return (
      <section>
        <h2>Which links can I trust?</h2>
        <p>{whyNoMargins(answer)}</p>
      </section>
    );
  const list = state.doubtful.value;
  const from = Math.max(0, Math.min(state.cursor.value - ROWS / 2, list.length - ROWS));
  const link = present();
  const canCorrect = state.scene.value?.canSolve === true;
  return (
    <section aria-labelledby="proof-title">
      <h2 id="proof-title">Which links can I trust?</h2>
      <p class="counts" aria-live="polite">
        <span>
          <b id="proved">{counts.proved}</b> proved
        </span>
        <span>
          <b id="confirmed">{counts.confirmed}</b> confirmed
        </span>
        <span>
          <b id="open">{counts.open}</b> open
        </span>
      </p>
      <label>
        open below a margin of{" "}
        <input
          type="number"
          min={0}
          step={0.5}
          value={state.limit.value}
          onChange={({ currentTarget }) => (state.limit.value = Number(currentTarget.value))}
        />
      </label>
      {list.length > 0 && (
        <ol class="links" start={from + 1}>
          {list.slice(from, from + ROWS).map((item, n) => (
            <li key={`${item.kind} ${state.keyOf(item)}`}>
              <button
                type="button"
                class={state.judged.value.get(state.keyOf(item)) ?? ""}
                aria-current={from + n === state.cursor.value ? "true" : undefined}
                onClick={() => goTo(from + n)}
              >
                <Swatch margin={item.margin} />
                {Number.isFinite(item.margin) ? short(item.margin) : "no margin"}: {nameOf(item, answer)}
              </button>
            </li>
          ))}
        </ol>
      )}
      <InsteadOf />
      {canCorrect && (
        <div class="row">
          <button type="button" id="right" disabled={link === null} onClick={() => judge("right")} title="key r">
            Right
          </button>
          <button type="button" id="wrong" disabled={link === null} onClick={() => judge("wrong")} title="key w">
            Wrong
          </button>
          <button type="button" id="next" disabled={counts.open === 0} onClick={next} title="key n">
            Next
          </button>
          <button type="button" disabled={state.judgements.value.length === 0} onClick={undo} title="key u">
            Undo
          </button>
        </div>
      )}
      {canCorrect && (
        <button type="button" id="export" onClick={exportAll}>
          Save tracks, corrections and proof
        </button>
      )}
      <Calibrated />
    </section>
  );
}
