// The length of Sobel's gradient. Twin: sobelMagnitude in edge-images.ts.

#import filter-run

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let x = i32(thread.x);
  let y = i32(thread.y);
  let a = grey(x - 1, y - 1);
  let c = grey(x + 1, y - 1);
  let g = grey(x - 1, y + 1);
  let i = grey(x + 1, y + 1);
  let gx = (c - a + i - g) + 2 * (grey(x + 1, y) - grey(x - 1, y));
  let gy = (g - a + i - c) + 2 * (grey(x, y + 1) - grey(x, y - 1));
  result[thread.y * run.pitch + thread.x] = sqrt(gx * gx + gy * gy);
}
