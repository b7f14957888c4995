// What the passes over frames share. `offsets` holds depth + 1 places for each vector: how far back its trajectory was before it ends, after
// 0, 1, … frames of the pass (offsetsBack in ../vectors.ts).

struct Pass {
  width: u32,
  height: u32,
  // Vectors of this piece of the state, and the number of its first one among all.
  vectors: u32,
  first: u32,
  // Frames of the pass, and those before it.
  depth: u32,
  seen: u32,
  // No trajectory is further back than so many pixels along an axis.
  reach: i32,
  // 1: the first threads have the last rows.
  backwards: u32,
  // α and 1 − α.
  a: f32,
  b: f32,
}

@group(0) @binding(0) var<uniform> run: Pass;
@group(0) @binding(1) var<storage, read> offsets: array<vec2i>;

fn inside(at: vec2i) -> bool { return u32(at.x) < run.width && u32(at.y) < run.height; }
