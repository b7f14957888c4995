// Planes that filters read and write, one after the other: a thread a pixel, a workgroup 32 × 8 of them, z is the plane.

#import border

struct FilterRun {
  width: u32,
  height: u32,
  alongX: u32,  // of the blur: 1 sums along a row, 0 along a column
  radius: u32,
  pitch: u32,   // of the rows of the result
}

@group(0) @binding(0) var<uniform> run: FilterRun;
@group(0) @binding(1) var<storage, read> image: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;

// A pixel, or the border's where there is none.
fn grey(x: i32, y: i32, plane: u32) -> f32 {
  return image[(plane * run.height + clamped(y, run.height)) * run.width + clamped(x, run.width)];
}

// Where the result of a pixel lies.
fn placeOf(thread: vec3u) -> u32 { return (thread.z * run.height + thread.y) * run.pitch + thread.x; }
