// Stored in 16 bits, p as snorm since |p| ≤ 1, and computed in 32.

#import format-halves

alias Num = f32;
alias Num2 = vec2f;

// ρ / |∇I1|², 0 where there is no slope, as a product with the reciprocal.
fn divisor(square: f32) -> f32 { return select(0.0, 1.0 / square, square >= 1e-10); }
fn quotient(rho: f32, by: f32) -> f32 { return rho * by; }

fn toPair(value: Num2) -> Pair { return pack2x16float(value); }
fn ofPair(stored: Pair) -> Num2 { return unpack2x16float(stored); }
fn ofSingle(stored: Single) -> Num { return unpack2x16float(stored).x; }
fn toDual(alongX: Num2, alongY: Num2) -> Dual { return vec2u(pack2x16snorm(alongX), pack2x16snorm(alongY)); }
fn dualAlongX(stored: Dual) -> Num2 { return unpack2x16snorm(stored.x); }
fn dualAlongY(stored: Dual) -> Num2 { return unpack2x16snorm(stored.y); }
fn ofSide(stored: Side) -> Num2 { return unpack2x16snorm(stored); }
// From a pixel to its neighbour, with the slope of u⁰.
fn rise(next: Num2, own: Num2, start: Num2) -> Num2 { return (next - own) + start; }
fn baseAt(i: u32) -> Num2 { return unpack2x16float(base[i]); }
