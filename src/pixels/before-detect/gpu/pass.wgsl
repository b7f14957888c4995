// Shared by the passes over frames. `offsets` has, for each vector, how far back its trajectory was before it ends (offsetsBack in ../vectors.ts).

struct Pass {
  width: u32,
  height: u32,
  // Vectors of this piece of the state, and the number of its first one among all.
  vectors: u32,
  first: u32,
  // No trajectory is further back than this many pixels along an axis.
  reach: i32,
  // 1: the first threads have the last rows.
  backwards: u32,
  // α and 1 − α.
  a: f32,
  b: f32,
}

override THREADS_X: u32 = 32;
override THREADS_Y: u32 = 8;

@group(0) @binding(0) var<uniform> run: Pass;
@group(0) @binding(1) var<storage, read> offsets: array<vec2i>;
// The frames of the pass: depth × height × width.
@group(0) @binding(2) var<storage, read> frames: array<f32>;
// The state before and after the pass: vectors × height × width.
@group(0) @binding(3) var<storage, read> before: array<f32>;
@group(0) @binding(4) var<storage, read_write> after: array<f32>;

fn inside(at: vec2i) -> bool { return u32(at.x) < run.width && u32(at.y) < run.height; }

// The number of a pixel in a plane of `frames`, `before` or `after`.
fn place(plane: u32, at: vec2i) -> u32 { return (plane * run.height + u32(at.y)) * run.width + u32(at.x); }

fn pixel(frame: u32, at: vec2i) -> f32 { return frames[place(frame, at)]; }
