/** The numbers of a simulated scenario, to play with. */
import type { Simulation } from "../worker/protocol.js";
import { draw } from "./actions.js";
import { short } from "./look.jsx";
import * as state from "./state.js";

interface Slider {
  readonly name: keyof Simulation;
  readonly label: string;
  readonly least: number;
  readonly most: number;
  readonly step: number;
  /** Whether the slider's place is the logarithm of the number. */
  readonly isLogarithm?: boolean;
}

const SLIDERS: readonly Slider[] = [
  { name: "targets", label: "N, targets", least: 1, most: 200, step: 1 },
  { name: "frames", label: "T, frames", least: 2, most: 100, step: 1 },
  { name: "noise", label: "σ of positions", least: 0, most: 1, step: 0.01 },
  { name: "density", label: "density at the start", least: -3, most: 2, step: 0.05, isLogarithm: true },
];

export function Simulated() {
  const simulation = state.simulation.value;
  if (simulation === null) return null;
  const isSolving = state.busy.value?.startsWith("Solving") === true;
  return (
    <section aria-labelledby="simulated-title">
      <h2 id="simulated-title">Simulation</h2>
      {SLIDERS.map(({ name, label, least, most, step, isLogarithm }) => (
        <label key={name} class="slider">
          {label}
          <input
            type="range"
            id={name}
            {...{ min: least, max: most, step, disabled: isSolving }}
            value={isLogarithm ? Math.log10(simulation[name]) : simulation[name]}
            onInput={({ currentTarget }) => {
              const at = Number(currentTarget.value);
              draw({ ...simulation, [name]: isLogarithm ? Number((10 ** at).toPrecision(3)) : at });
            }}
          />
          <output>{short(simulation[name])}</output>
        </label>
      ))}
      <button type="button" disabled={isSolving} onClick={() => draw({ ...simulation, seed: simulation.seed + 1 })}>
        Draw others
      </button>
    </section>
  );
}
