// new-plane.wgsl for stored triplets: f attains Δ_e = D_ef − v_f.

#import new-plane

@group(0) @binding(10) var<storage, read> delta: array<f32>;
@group(0) @binding(11) var<storage, read> v: array<f32>;

fn costOf(e: u32, f: u32) -> f32 { return delta[e] + v[f]; }
