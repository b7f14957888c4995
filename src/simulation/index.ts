/** Recordings and problems drawn from a seed. */
export { SIMULATION_DEFAULTS, type SimulationParameters } from "./parameters.js";
export { simulate } from "./trajectories.js";
