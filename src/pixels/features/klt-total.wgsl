// The sum over the 32 threads of a workgroup, for thread 0. Called by all; none may call it again before thread 0 has gone on.

var<workgroup> partial_: array<vec4f, 32>;

fn total(part: vec4f, thread: u32) -> vec4f {
  partial_[thread] = part;
  workgroupBarrier();
  var sum = vec4f();
  if (thread == 0) {
    for (var k = 0u; k < 32; k++) { sum += partial_[k]; }
  }
  return sum;
}
