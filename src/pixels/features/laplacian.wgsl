// The mask [0 1 0; 1 −4 1; 0 1 0]. Twin: the second half of laplacianOfGaussian in edge-images.ts.

#import ../filter-run

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  if (thread.x >= run.width || thread.y >= run.height) { return; }
  let x = i32(thread.x);
  let y = i32(thread.y);
  let sides = grey(x - 1, y, thread.z) + grey(x + 1, y, thread.z) + grey(x, y - 1, thread.z) + grey(x, y + 1, thread.z);
  result[placeOf(thread)] = sides - 4 * grey(x, y, thread.z);
}
