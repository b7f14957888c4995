// The length of Sobel's gradient. Twin: sobelMagnitude in edge-images.ts.

#import ../filter-run

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let x = i32(thread.x);
  let y = i32(thread.y);
  let a = grey(x - 1, y - 1, thread.z);
  let c = grey(x + 1, y - 1, thread.z);
  let g = grey(x - 1, y + 1, thread.z);
  let i = grey(x + 1, y + 1, thread.z);
  let gx = (c - a + i - g) + 2 * (grey(x + 1, y, thread.z) - grey(x - 1, y, thread.z));
  let gy = (g - a + i - c) + 2 * (grey(x, y + 1, thread.z) - grey(x, y - 1, thread.z));
  result[placeOf(thread)] = sqrt(gx * gx + gy * gy);
}
