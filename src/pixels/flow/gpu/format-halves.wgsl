// Storage that both f16 formats share: u − u⁰, u⁰, ∇I and r as f16, two in a word.

alias Pair = u32;
alias Single = u32;
alias Dual = vec2u;
// Half of a Dual.
alias Side = u32;

@group(0) @binding(1) var<storage, read> base: array<u32>;

fn toSingle(value: f32) -> Single { return pack2x16float(vec2f(value, 0.0)); }
fn residualToStore(residual: f32, slope: vec2f, start: vec2f) -> Single { return toSingle(residual); }
fn sideAlongX(stored: Dual) -> Side { return stored.x; }
fn sideAlongY(stored: Dual) -> Side { return stored.y; }
fn baseToStore(start: vec2f) -> vec2f { return unpack2x16float(pack2x16float(start)); }
fn unknownAtStart(start: vec2f) -> Pair { return 0u; }
fn flowOf(unknown: Pair, start: vec2f) -> vec2f { return start + unpack2x16float(unknown); }
fn baseAsF32(i: u32) -> vec2f { return unpack2x16float(base[i]); }
