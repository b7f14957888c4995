// Stored in 16 bits, p as snorm since |p| ≤ 1, and computed in 32.

#import format-halves

alias Num = f32;
alias Num2 = vec2f;

// ρ / |∇I1|², 0 where there is no slope, as a product with the reciprocal.
fn divisor(square: f32) -> f32 { return select(0.0, 1.0 / square, square >= 1e-10); }
fn quotient(rho: f32, by: f32) -> f32 { return rho * by; }

fn to_pair(value: Num2) -> Pair { return pack2x16float(value); }
fn of_pair(stored: Pair) -> Num2 { return unpack2x16float(stored); }
fn of_single(stored: Single) -> Num { return unpack2x16float(stored).x; }
fn to_dual(along_x: Num2, along_y: Num2) -> Dual { return vec2u(pack2x16snorm(along_x), pack2x16snorm(along_y)); }
fn dual_along_x(stored: Dual) -> Num2 { return unpack2x16snorm(stored.x); }
fn dual_along_y(stored: Dual) -> Num2 { return unpack2x16snorm(stored.y); }
fn of_side(stored: Side) -> Num2 { return unpack2x16snorm(stored); }
// From a pixel to its neighbour, with the slope of u⁰.
fn rise(next: Num2, own: Num2, start: Num2) -> Num2 { return (next - own) + start; }
fn base_at(i: u32) -> Num2 { return unpack2x16float(base[i]); }
