// Lists the pixels whose response is above the threshold and not below any of its eight neighbours', with the offset of the peak. A thread a pixel.
// Twin: cornerCandidates in corners.ts.

#import corners

@group(0) @binding(1) var<storage, read> response: array<f32>;
@group(0) @binding(2) var<storage, read_write> count: CornerCount;
@group(0) @binding(3) var<storage, read_write> corners: array<Corner>;

const BEYOND: f32 = -3e38;

fn at(x: i32, y: i32) -> f32 {
  if (x < 0 || y < 0 || x >= i32(run.width) || y >= i32(run.height)) { return BEYOND; }
  return response[y * i32(run.width) + x];
}

// Where the parabola through three values peaks; 0 at the border.
fn peakOffset(l: f32, c: f32, r: f32) -> f32 {
  let curvature = r - 2 * c + l;
  if (l == BEYOND || r == BEYOND || !(curvature < 0)) { return 0; }
  return (l - r) / (2 * curvature);
}

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  let x = i32(thread.x);
  let y = i32(thread.y);
  let margin = i32(run.margin);
  if (x < margin || y < margin || x >= i32(run.width) - margin || y >= i32(run.height) - margin) { return; }
  let value = response[y * i32(run.width) + x];
  let largest = bitcast<f32>(atomicLoad(&count.largest));
  if (!(value > run.quality * largest)) { return; }
  for (var r = y - 1; r <= y + 1; r++) {
    if (value < at(x - 1, r) || value < at(x, r) || value < at(x + 1, r)) { return; }
  }
  let k = atomicAdd(&count.found, 1u);
  if (k >= run.room) { return; }
  let dx = peakOffset(at(x - 1, y), value, at(x + 1, y));
  let dy = peakOffset(at(x, y - 1), value, at(x, y + 1));
  corners[k] = Corner(u32(y * i32(run.width) + x), value, dx, dy);
}
