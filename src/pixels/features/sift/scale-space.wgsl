// One or two Gaussians of the scale space from those before them. A workgroup has a tile of 32 × TILE_HEIGHT pixels: it sums rows, four pixels
// a thread, into workgroup memory, then columns, DEPTH rows of four pixels a thread, and writes once. Pixels beyond the right border, up to
// the pitch, repeat it. Where `half` is given, every second pixel of every second row is the next octave's first Gaussian.
// Twin: scaleSpace in scale-space.ts.

#import space
#import pyramid-written
// Sums with constant radii and taps, made by blur-text.ts.
#import blurs

// Places and pitches in vec4.
struct Job {
  @align(16) source: u32,  // first of the Gaussian that is read
  to: u32,
  half: u32,        // first of the next octave, or 0: it never is the first
  halfWidth: u32,
  halfHeight: u32,
  width: u32,
  height: u32,
  columns: u32,     // tiles of a row of tiles
  groups: u32,      // tiles
}

struct Step {
  jobs: array<Job, 2>,
}

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read> image: array<f32>;

var<workgroup> rows: array<vec4f, STORED>;

// The four pixels of column c, which may lie beyond the border.
fn bordered(row: u32, c: i32, last: i32) -> vec4f {
  let v = gaussians(row + u32(clamp(c, 0, last)));
  return select(select(v, vec4f(v.w), c > last), vec4f(v.x), c < 0);
}

fn store(job: Job, column: u32, y: u32, sum: vec4f) {
  let pitch = (job.width + 3) / 4;
  if (column >= pitch || y >= job.height) { return; }
  let last = job.width - 1;
  let beyond = vec4u(4 * column) + vec4u(0, 1, 2, 3) > vec4u(last);
  let v = select(sum, vec4f(sum[last % 4]), beyond);
  put(job.to + y * pitch + column, v);
  if (job.half != 0 && y % 2 == 0 && y / 2 < job.halfHeight) {
    let at = job.half + (y / 2) * ((job.halfWidth + 3) / 4) + column / 2;
    storeHalf(job, at, 2 * column, v.x, v.z);
  }
}

// Pixels x and x + 1 of the next octave, and those after them up to the pitch where the row ends.
fn storeHalf(job: Job, at: u32, x: u32, one: f32, other: f32) {
  if (x >= job.halfWidth) { return; }
  let second = select(other, one, x + 1 == job.halfWidth);
  putPair(at, x % 4 / 2, vec2f(one, second));
  if (x % 4 == 0 && x + 2 >= job.halfWidth) { putPair(at, 1, vec2f(second)); }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  var which = 0u;
  var group = workgroup.x;
  if (group >= step.jobs[0].groups) {
    group -= step.jobs[0].groups;
    which = 1u;
  }
  let job = step.jobs[which];
  let left = (group % job.columns) * TILE_COLUMNS;
  let top = (group / job.columns) * TILE_HEIGHT;
  let column = thread % TILE_COLUMNS;
  let lines = tall(which);
  for (var r = thread / TILE_COLUMNS; r < lines; r += THREADS / TILE_COLUMNS) {
    rows[r * TILE_COLUMNS + column] = makeRow(job, which, r, top, left + column);
  }
  workgroupBarrier();
  let first = thread / TILE_COLUMNS * DEPTH;
  sumColumns(job, which, firstRow(first) * TILE_COLUMNS + column, left + column, top + first);
}
