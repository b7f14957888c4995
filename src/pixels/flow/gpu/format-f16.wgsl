// Stored and computed in 16 bits.

enable f16;

#import format-halves

alias Num = f16;
alias Num2 = vec2<f16>;

// ρ / |∇I1|², 0 where there is no slope; the reciprocal would leave the range of f16.
fn divisor(square: f16) -> f16 { return square; }
fn quotient(rho: f16, by: f16) -> f16 { return select(0.0h, rho / by, by >= 1e-6h); }

fn to_pair(value: Num2) -> Pair { return bitcast<u32>(value); }
fn of_pair(stored: Pair) -> Num2 { return bitcast<vec2<f16>>(stored); }
fn of_single(stored: Single) -> Num { return bitcast<vec2<f16>>(stored).x; }
fn to_dual(along_x: Num2, along_y: Num2) -> Dual { return vec2u(bitcast<u32>(along_x), bitcast<u32>(along_y)); }
fn dual_along_x(stored: Dual) -> Num2 { return bitcast<vec2<f16>>(stored.x); }
fn dual_along_y(stored: Dual) -> Num2 { return bitcast<vec2<f16>>(stored.y); }
fn of_side(stored: Side) -> Num2 { return bitcast<vec2<f16>>(stored); }
// From a pixel to its neighbour, with the slope of u⁰.
fn rise(next: Num2, own: Num2, start: Num2) -> Num2 { return (next - own) + start; }
fn base_at(i: u32) -> Num2 { return bitcast<vec2<f16>>(base[i]); }
