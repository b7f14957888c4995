// The vector is compiled in, of fractions of a pixel: ⌊k v + ½⌋ in f32, which is exact for multiples of ½, ¼, … .

override NUMBER: u32;
override VX: f32;
override VY: f32;

fn number() -> u32 { return NUMBER; }

fn moved(k: u32) -> vec2i { return vec2i(floor(f32(k) * vec2f(VX, VY) + 0.5)); }
fn back(j: u32) -> vec2i { return moved(run.seen + depth()) - moved(run.seen + j); }
