// The two half stencils of an iteration (Romera et al. 2023, Algorithm 1), in the numbers of the format.

#import run
#import format

// The data of a pixel's ∇I1 that every iteration needs; `by` is the argument of `quotient` of the format.
struct Slope {
  slope: Num2,
  by: Num,
}

fn slopeOf(slope: Num2) -> Slope { return Slope(slope, divisor(dot(slope, slope))); }

// u + step along ∇I1 + θ div p, from the unknown, ∇I1, r and div p.
fn primal(unknown: Num2, along: Slope, residual: Num, divergence: Num2) -> Num2 {
  let limit = Num(run.limit);
  let rho = residual + dot(along.slope, unknown);
  let step = clamp(-quotient(rho, along.by), -limit, limit);
  return unknown + (step * along.slope + Num(run.theta) * divergence);
}

// (p + (τ/θ) ∇u) / (1 + (τ/θ) |∇u|) for both components of u, along x and y.
fn dual(stored: Dual, alongX: Num2, alongY: Num2) -> Dual {
  let rate = Num(run.rate);
  let scale = Num2(1.0) / (Num2(1.0) + rate * sqrt(alongX * alongX + alongY * alongY));
  return toDual((dualAlongX(stored) + rate * alongX) * scale, (dualAlongY(stored) + rate * alongY) * scale);
}
