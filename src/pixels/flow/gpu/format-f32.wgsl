// Everything in 32 bits. The unknown is u itself, and r holds ρ at u = 0: r − ∇I · u⁰.

alias Num = f32;
alias Num2 = vec2f;
alias Pair = vec2f;
alias Single = f32;
alias Dual = vec4f;
// Half of a Dual.
alias Side = vec2f;

// ρ / |∇I1|², 0 where there is no slope, as a product with the reciprocal.
fn divisor(square: f32) -> f32 { return select(0.0, 1.0 / square, square >= 1e-10); }
fn quotient(rho: f32, by: f32) -> f32 { return rho * by; }

fn toPair(value: Num2) -> Pair { return value; }
fn ofPair(stored: Pair) -> Num2 { return stored; }
fn toSingle(value: f32) -> Single { return value; }
fn ofSingle(stored: Single) -> Num { return stored; }
fn toDual(alongX: Num2, alongY: Num2) -> Dual { return vec4f(alongX, alongY); }
fn dualAlongX(stored: Dual) -> Num2 { return stored.xy; }
fn dualAlongY(stored: Dual) -> Num2 { return stored.zw; }
fn sideAlongX(stored: Dual) -> Side { return stored.xy; }
fn sideAlongY(stored: Dual) -> Side { return stored.zw; }
fn ofSide(stored: Side) -> Num2 { return stored; }
// From a pixel to its neighbour; the slope of u⁰ is 0 here, and the compiler may not leave out a 0 that is added.
fn rise(next: Num2, own: Num2, start: Num2) -> Num2 { return next - own; }

fn residualToStore(residual: f32, slope: vec2f, start: vec2f) -> Single { return residual - dot(slope, start); }
fn baseToStore(start: vec2f) -> vec2f { return start; }
fn unknownAtStart(start: vec2f) -> Pair { return start; }
fn flowOf(unknown: Pair, base: vec2f) -> vec2f { return unknown; }

// Nothing is added to the unknown: its slopes are those of u.
fn baseAt(i: u32) -> Num2 { return vec2f(0.0); }
fn baseAsF32(i: u32) -> vec2f { return vec2f(0.0); }
