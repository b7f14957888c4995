// Copies an array of records field by field and adds 1 to each number, so that a test sees where the device finds the fields.

alias Pair = vec2<i32>;
const PLACES = 4 - 1;

struct Inner { // aligned to 16
  a: f32,
  direction: vec3f,
  b: u32,
}

struct Record {
  count: u32,
  pair: Pair,
  inner: Inner,
  tail: array<f32, PLACES>,
  corners: array<vec3<u32>, 2>,
  @align(32) far: i32,
  wide: f32,
  last: vec4f,
}

@group(0) @binding(0) var<storage, read> from_: array<Record>;
@group(0) @binding(1) var<storage, read_write> to: array<Record>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) at: vec3u) {
  var record = from_[at.x];
  record.count += 1;
  record.pair += Pair(1);
  record.inner.a += 1;
  record.inner.direction += vec3f(1);
  record.inner.b += 1;
  for (var k = 0; k < PLACES; k++) { record.tail[k] += 1; }
  for (var k = 0; k < 2; k++) { record.corners[k] += vec3u(1); }
  record.far += 1;
  record.wide += 1;
  record.last += vec4f(1);
  to[at.x] = record;
}
