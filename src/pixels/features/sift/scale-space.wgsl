// One or two Gaussians of the scale space from those before them. A workgroup has a tile of 32 × 32 pixels: it reads them and the taps'
// reach around them, blurs rows and then columns in workgroup memory and writes once. A thread blurs four pixels of a row, then four of a column.
// Where `half` is given, every second pixel of every second row is the next octave's first Gaussian.
// Twin: scaleSpace in scale-space.ts.

#import space

// 0: another Gaussian; 1: the image; 2: the image doubled.
override SOURCE: u32 = 0;

struct Job {
  source: u32,      // first number of the Gaussian that is read
  to: u32,
  half: u32,        // first number of the next octave, or 0: it never is the first
  halfWidth: u32,
  halfHeight: u32,
  width: u32,
  height: u32,
  columns: u32,     // tiles of a row of tiles
  groups: u32,      // tiles
  taps: u32,        // first of the 2 radius + 1 taps
  radius: u32,
  unused: u32,
}

struct Step {
  jobs: array<Job, 2>,
}

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read> tapTable: array<f32>;
@group(0) @binding(2) var<storage, read> image: array<f32>;
@group(0) @binding(3) var<storage, read_write> pyramid: array<f32>;

const TILE: u32 = 32;
const REACH: u32 = 13;
const WIDE: u32 = 58;   // TILE + 2 REACH
const PITCH: u32 = 61;  // so that the rows that 32 threads read lie in different banks

var<workgroup> tile: array<f32, 3538>;  // WIDE rows of PITCH
var<workgroup> rows: array<f32, 1856>;  // WIDE rows of TILE
var<workgroup> taps: array<f32, 31>;    // 2 REACH + 1, and zeros

fn load(job: Job, x: i32, y: i32) -> f32 {
  let column = u32(clamp(x, 0, i32(job.width) - 1));
  let row = u32(clamp(y, 0, i32(job.height) - 1));
  if (SOURCE == 0) { return pyramid[job.source + row * job.width + column]; }
  if (SOURCE == 1) { return image[row * job.width + column]; }
  let width = job.width / 2;
  let left = column / 2;
  let right = min((column + 1) / 2, width - 1);
  let up = (row / 2) * width;
  let down = min((row + 1) / 2, job.height / 2 - 1) * width;
  return 0.5 * (0.5 * (image[up + left] + image[up + right]) + 0.5 * (image[down + left] + image[down + right]));
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  var job = step.jobs[0];
  var group = workgroup.x;
  if (group >= job.groups) {
    group -= job.groups;
    job = step.jobs[1];
  }
  let left = (group % job.columns) * TILE;
  let top = (group / job.columns) * TILE;
  let radius = job.radius;
  let wide = TILE + 2 * radius;
  if (thread < 31) {
    taps[thread] = select(0.0, tapTable[job.taps + min(thread, 2 * radius)], thread <= 2 * radius);
  }
  for (var r = thread / 32; r < wide; r += 8) {
    for (var c = thread % 32; c < wide; c += 32) {
      tile[r * PITCH + c] = load(job, i32(left + c) - i32(radius), i32(top + r) - i32(radius));
    }
  }
  workgroupBarrier();
  for (var r = thread / 8; r < wide; r += 32) {
    let first = 4 * (thread % 8);
    var sums = vec4f();
    var weights = vec4f();
    for (var k = 0u; k < 2 * radius + 4; k++) {
      weights = vec4f(taps[k], weights.xyz);
      sums += weights * tile[r * PITCH + first + k];
    }
    for (var k = 0u; k < 4; k++) { rows[r * TILE + first + k] = sums[k]; }
  }
  workgroupBarrier();
  let column = thread % 32;
  let first = 4 * (thread / 32);
  var sums = vec4f();
  var weights = vec4f();
  for (var k = 0u; k < 2 * radius + 4; k++) {
    weights = vec4f(taps[k], weights.xyz);
    sums += weights * rows[(first + k) * TILE + column];
  }
  let x = left + column;
  if (x >= job.width) { return; }
  for (var k = 0u; k < 4; k++) {
    let y = top + first + k;
    if (y >= job.height) { return; }
    pyramid[job.to + y * job.width + x] = sums[k];
    if (job.half != 0 && x % 2 == 0 && y % 2 == 0 && x / 2 < job.halfWidth && y / 2 < job.halfHeight) {
      pyramid[job.half + (y / 2) * job.halfWidth + x / 2] = sums[k];
    }
  }
}
