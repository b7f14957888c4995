// Pixels whose largest value is above `least` and the largest of (2 · radius + 1)²; of equal ones the first, row by row. Thread i looks at pixel
// i and appends its peak, in any order; when the list is full, it only counts.

struct Search {
  width: i32,
  height: i32,
  radius: i32,
  room: u32,
  least: f32,
}

struct Peak {
  pixel: u32,
  vector: u32,
  value: f32,
  left: f32,
  right: f32,
  above: f32,
  below: f32,
}

override THREADS: u32 = 128;

@group(0) @binding(0) var<uniform> search: Search;
@group(0) @binding(1) var<storage, read> best: array<f32>;
@group(0) @binding(2) var<storage, read> which: array<u32>;
@group(0) @binding(3) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(4) var<storage, read_write> peaks: array<Peak>;

fn isLargest(pixel: i32, x: i32, y: i32, value: f32) -> bool {
  for (var row = max(0, y - search.radius); row <= min(search.height - 1, y + search.radius); row++) {
    for (var column = max(0, x - search.radius); column <= min(search.width - 1, x + search.radius); column++) {
      let i = row * search.width + column;
      if (best[i] > value || (best[i] == value && i < pixel)) { return false; }
    }
  }
  return true;
}

// Outside the image this is the value itself; the host knows where that happens and fits no parabola there.
fn beside(x: i32, y: i32, value: f32) -> f32 {
  if (x < 0 || x >= search.width || y < 0 || y >= search.height) { return value; }
  return best[y * search.width + x];
}

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let cells = search.width * search.height;
  for (var i = i32(thread.x); i < cells; i += i32(groups.x * THREADS)) {
    let value = best[i];
    if (!(value > search.least)) { continue; }
    let x = i % search.width;
    let y = i / search.width;
    if (!isLargest(i, x, y, value)) { continue; }
    let n = atomicAdd(&count, 1u);
    if (n >= search.room) { continue; }
    peaks[n] = Peak(
      u32(i), which[i], value,
      beside(x - 1, y, value), beside(x + 1, y, value), beside(x, y - 1, value), beside(x, y + 1, value),
    );
  }
}
