/** Standard deviation, per axis, of the Gaussian noise on measured positions and velocities. */
export interface Noise {
  readonly position: number;
  readonly velocity: number;
}
