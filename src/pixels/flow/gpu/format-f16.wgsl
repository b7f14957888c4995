// Stored and computed in 16 bits.

enable f16;

#import format-halves

alias Num = f16;
alias Num2 = vec2<f16>;

// ρ / |∇I1|², 0 where there is no slope; the reciprocal would leave the range of f16.
fn divisor(square: f16) -> f16 { return square; }
fn quotient(rho: f16, by: f16) -> f16 { return select(0.0h, rho / by, by >= 1e-6h); }

fn toPair(value: Num2) -> Pair { return bitcast<u32>(value); }
fn ofPair(stored: Pair) -> Num2 { return bitcast<vec2<f16>>(stored); }
fn ofSingle(stored: Single) -> Num { return bitcast<vec2<f16>>(stored).x; }
fn toDual(alongX: Num2, alongY: Num2) -> Dual { return vec2u(bitcast<u32>(alongX), bitcast<u32>(alongY)); }
fn dualAlongX(stored: Dual) -> Num2 { return bitcast<vec2<f16>>(stored.x); }
fn dualAlongY(stored: Dual) -> Num2 { return bitcast<vec2<f16>>(stored.y); }
fn ofSide(stored: Side) -> Num2 { return bitcast<vec2<f16>>(stored); }
// From a pixel to its neighbour, with the slope of u⁰.
fn rise(next: Num2, own: Num2, start: Num2) -> Num2 { return (next - own) + start; }
fn baseAt(i: u32) -> Num2 { return bitcast<vec2<f16>>(base[i]); }
