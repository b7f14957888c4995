// The largest difference of a state to the twin's, as the bits of an f32, which for values from 0 on lie in the order of the values. `turned` says by
// how many pixels the state of each vector lies turned around the image.

struct Compared {
  width: u32,
  height: u32,
  vectors: u32,
  // Which of `errors`.
  number: u32,
}

const THREADS = 256u;

@group(0) @binding(0) var<uniform> compared: Compared;
@group(0) @binding(1) var<storage, read> state: array<f32>;
@group(0) @binding(2) var<storage, read> twin: array<f32>;
@group(0) @binding(3) var<storage, read> turned: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> errors: array<atomic<u32>>;

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let size = vec2u(compared.width, compared.height);
  let pixels = size.x * size.y;
  var most = 0u;
  for (var i = thread.x; i < pixels; i += groups.x * THREADS) {
    let place = vec2u(i % size.x, i / size.x);
    for (var v = 0u; v < compared.vectors; v++) {
      let start = (place + size - turned[v]) % size;
      let difference = abs(state[v * pixels + start.y * size.x + start.x] - twin[v * pixels + i]);
      most = max(most, bitcast<u32>(difference));
    }
  }
  atomicMax(&errors[compared.number], most);
}
