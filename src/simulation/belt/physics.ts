/** Laws of the bodies on a belt; SI units. */
export interface Physics {
  /** Metres a second. */
  readonly beltSpeed: number;
  readonly width: number;
  /** Of the normal spring, N/m. */
  readonly stiffness: number;
  readonly dampingRatio: number;
  /** Coulomb's coefficients: bodies on the belt, and bodies on walls and on each other. */
  readonly beltFriction: number;
  readonly friction: number;
  /** μ_r of spheres on the belt: the torque μ_r r F against their spin. */
  readonly rollingFriction: number;
  /** Metres per second squared, downwards. */
  readonly gravity: number;
  /** Seconds. */
  readonly timeStep: number;
}
