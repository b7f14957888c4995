// The columns' duals at the start, and no column has a row. A thread has a column. Cold: at the limit, which leaves no column behind that the
// mirror search would have to raise; a column that must be assigned gets its least cost. Warm: no higher than the limit.

#import chunks
#import ../../gpu/wgsl/order

@group(0) @binding(9) var<storage, read_write> claim: array<atomic<u32>>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var c = settings.firstChunk + workgroup.x; c < settings.firstChunk + settings.chunks; c += workgroups.x) {
    let lap = laps[chunks[c].lap];
    let i = chunks[c].first + thread;
    if (i < lap.columns) { begin(lap.column + i); }
  }
}

fn begin(j: u32) {
  let most = limit[j];
  if (settings.warm == 0) {
    let key = atomicExchange(&claim[j], 0);
    dual[j] = select(select(valueOf(~key), 0f, key == 0), most, most < FORBIDDEN);
  } else if (most < FORBIDDEN && !(dual[j] <= most)) {
    dual[j] = most;
  }
  link[j] = FREE;
}
