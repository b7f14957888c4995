// Images that filters read and write, a thread a pixel, a workgroup 32 × 8.

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
fn grey(x: i32, y: i32) -> f32 {
  let column = u32(clamp(x, 0, i32(run.width) - 1));
  return image[u32(clamp(y, 0, i32(run.height) - 1)) * run.width + column];
}
