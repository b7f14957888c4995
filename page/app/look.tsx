/** How the picture is drawn: colours, tails, truth and depth. */
import { timePalette } from "../../dist/report/track-colours.js";
import { columnOf, MARGIN_STEPS, marginColour } from "../view/colours.js";
import { range } from "../view/range.js";
import { nextError, showWhole } from "./actions.js";
import * as state from "./state.js";

export const short = (value: number) => {
  if (!Number.isFinite(value)) return "∞";
  return Math.abs(value) < 1e-6 ? "0" : Number(value.toPrecision(4)).toString().replace("-", "−");
};

export const Swatch = ({ margin }: { readonly margin: number }) => (
  <span class="swatch" style={{ background: `rgb(${marginColour(margin).slice(0, 3).join(" ")})` }} />
);

export function Look() {
  const scene = state.scene.value;
  if (scene === null) return null;
  const { colouring, truth } = state;
  const column = columnOf(colouring.value, scene);
  return (
    <section aria-labelledby="look-title">
      <h2 id="look-title">View</h2>
      <button type="button" id="whole" onClick={showWhole} title="key 0">
        Whole recording
      </button>
      <label>
        colour by{" "}
        <select
          id="colour"
          value={colouring.value}
          onChange={({ currentTarget }) => (colouring.value = currentTarget.value)}
        >
          <option value="track">track</option>
          {state.answer.value?.margin && <option value="margin">margin</option>}
          {scene.columns.map(([name]) => (
            <option key={name} value={`column ${name}`}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {colouring.value === "margin" && <MarginLegend />}
      {column !== undefined && <ColumnLegend values={column[1]} />}
      <label>
        tail{" "}
        <input
          type="range"
          min={1}
          max={Math.min(200, scene.frames)}
          value={state.tail.value}
          onInput={({ currentTarget }) => (state.tail.value = Number(currentTarget.value))}
        />{" "}
        {state.tail.value} frames
      </label>
      <label>
        <input
          type="checkbox"
          checked={state.whole.value}
          onChange={({ currentTarget }) => (state.whole.value = currentTarget.checked)}
        />{" "}
        whole tracks, faintly
      </label>
      {scene.target !== null && (
        <label>
          truth{" "}
          <select
            value={truth.value}
            onChange={({ currentTarget }) => (truth.value = currentTarget.value as typeof truth.value)}
          >
            <option value="none">not shown</option>
            <option value="errors">wrong links red, missed ones blue</option>
            <option value="beside">beside the answer</option>
          </select>
        </label>
      )}
      {scene.target !== null && state.answer.value !== null && (
        <p>
          <b id="errors">{state.answer.value.wrong.length / 2}</b> wrong links, {state.answer.value.missed.length / 2}{" "}
          missed{" "}
          <button type="button" disabled={state.answer.value.wrong.length === 0} onClick={nextError} title="key e">
            Next wrong link
          </button>
        </p>
      )}
      {scene.z !== null && <Depth values={scene.z} />}
    </section>
  );
}

function Depth({ values }: { readonly values: Float64Array }) {
  const [least, most] = range(values);
  const { depth } = state;
  return (
    <div>
      <label>
        <input
          type="checkbox"
          checked={depth.value !== null}
          onChange={({ currentTarget }) => (depth.value = currentTarget.checked ? (least + most) / 2 : null)}
        />{" "}
        only near one depth
      </label>
      {depth.value !== null && (
        <label>
          z{" "}
          <input
            type="range"
            min={least}
            max={most}
            step="any"
            value={depth.value}
            onInput={({ currentTarget }) => (depth.value = Number(currentTarget.value))}
          />{" "}
          {short(depth.value)}
        </label>
      )}
    </div>
  );
}

function ColumnLegend({ values }: { readonly values: Float64Array }) {
  const [least, most] = range(values);
  return (
    <p class="ramp">
      {short(least)} <span style={{ background: `linear-gradient(90deg, ${timePalette.join(", ")})` }} /> {short(most)}
    </p>
  );
}

function MarginLegend() {
  const steps = [0, ...MARGIN_STEPS];
  return (
    <ul class="legend" aria-label="colours of margins">
      {steps.map((from, n) => (
        <li key={from}>
          <Swatch margin={from} />
          {n === 0
            ? `below ${MARGIN_STEPS[0]}`
            : n === MARGIN_STEPS.length
              ? `${from} and above`
              : `${from} to ${MARGIN_STEPS[n]}`}
        </li>
      ))}
    </ul>
  );
}
