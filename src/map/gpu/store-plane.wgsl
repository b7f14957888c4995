// new-plane.wgsl for computed triplets.

#import new-plane
#import rule

@group(0) @binding(10) var<storage, read> perEdge: array<f32>;

fn costOf(e: u32, f: u32) -> f32 { return tripletCost(numbersOf(e), numbersOf(f)); }
