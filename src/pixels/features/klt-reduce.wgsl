// The next level of a pyramid: [1 4 6 4 1]/16 along both axes, mirrored at the border, then every second pixel. A thread a pixel of the coarser
// level. Twin: kltPyramid in klt-pyramid.ts.

#import klt
#import ../border

struct Reduction {
  fine: Level,
  coarse: Level,
}

@group(0) @binding(0) var<uniform> reduction: Reduction;
@group(0) @binding(1) var<storage, read_write> pyramid: array<f32>;

const TAPS = array<f32, 5>(0.0625, 0.25, 0.375, 0.25, 0.0625);

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  let fine = reduction.fine;
  let coarse = reduction.coarse;
  if (thread.x >= coarse.width || thread.y >= coarse.height) { return; }
  var sum = 0.0;
  for (var r = -2; r <= 2; r++) {
    let row = fine.offset + u32(mirrored(2 * i32(thread.y) + r, i32(fine.height))) * fine.width;
    var across = 0.0;
    for (var c = -2; c <= 2; c++) {
      across += TAPS[c + 2] * pyramid[row + u32(mirrored(2 * i32(thread.x) + c, i32(fine.width)))];
    }
    sum += TAPS[r + 2] * across;
  }
  pyramid[coarse.offset + thread.y * coarse.width + thread.x] = sum;
}
