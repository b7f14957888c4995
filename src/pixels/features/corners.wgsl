// Declarations that the kernels of corners share.

struct CornerRun {
  width: u32,
  height: u32,
  margin: u32,    // pixels at the border that are no corners
  room: u32,
  quality: f32,   // least response over the largest
  kappa: f32,
}

struct CornerCount {
  largest: atomic<u32>,  // bits of the largest response, which is above 0 or not counted
  found: atomic<u32>,
}

struct Corner {
  pixel: u32,
  response: f32,
  dx: f32,
  dy: f32,
}

@group(0) @binding(0) var<uniform> run: CornerRun;
