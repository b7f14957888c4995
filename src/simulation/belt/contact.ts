/**
 * The contact of soft spheres (P. A. Cundall, O. D. L. Strack, "A discrete numerical model for granular assemblies", Géotechnique 29,
 * 1979): a linear spring with a damper along the normal, which never attracts, and a spring across it that slides at Coulomb's limit.
 */

/** Stiffness of the spring across the contact over that along the normal. */
export const TANGENTIAL_STIFFNESS = 2 / 7;

/** Damper across the contact over that along the normal. */
export const TANGENTIAL_DAMPING = 0.5;

/**
 * Speed after a bounce over that before, for the damping ratio ζ < 1. A spring and damper that may attract give exp(−πζ/√(1 − ζ²)); cut
 * at zero force, the contact ends earlier, and the ratio is exp(−(β/ω)(π − arctan(2βω/(ω² − β²)))), β = ζω₀, ω = ω₀√(1 − ζ²).
 */
export function restitutionOf(dampingRatio: number): number {
  const beta = dampingRatio;
  const omega = Math.sqrt(1 - beta * beta);
  return Math.exp(-(beta / omega) * (Math.PI - Math.atan2(2 * beta * omega, omega * omega - beta * beta)));
}

/** The damping ratio whose bounce has `restitution`, 0.2 to 1: restitutionOf falls all the way to ζ = 1, where it is e⁻². */
export function dampingRatioOf(restitution: number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (restitutionOf(middle) > restitution) low = middle;
    else high = middle;
  }
  return low;
}

/** Length of a contact, seconds, of two bodies of reduced mass m: half a period of the undamped spring. */
export function contactTime(reducedMass: number, stiffness: number): number {
  return Math.PI * Math.sqrt(reducedMass / stiffness);
}
