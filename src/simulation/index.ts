/** Recordings and problems drawn from a seed. */
export { SIMULATION_DEFAULTS, type SimulationParameters, simulate } from "./trajectories.js";
