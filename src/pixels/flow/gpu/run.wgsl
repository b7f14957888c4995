// The arguments of a dispatch of the flow: one level of the pyramid, for all pairs of a batch.

struct Run {
  // Of this level, in pixels; planes of all arrays lie one after the other, pixels row by row.
  width: u32,
  height: u32,
  // Of the level that is read, where it is another one.
  sourceWidth: u32,
  sourceHeight: u32,
  // Source pixels a pixel, along x and y.
  stepX: f32,
  stepY: f32,
  // What sampled flow is multiplied by.
  scale: f32,
  // Iterations of this dispatch.
  iterations: u32,
  // 1 where p starts at 0.
  fresh: u32,
  // λθ, θ and τ/θ.
  limit: f32,
  theta: f32,
  rate: f32,
}

@group(0) @binding(0) var<uniform> run: Run;
