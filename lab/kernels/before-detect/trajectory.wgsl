// One pass of one vector, as in Mazurek 2010: thread (x, y) has the trajectory that ends there. His variants are the pieces: the vector as an
// argument or compiled in (vector), the frames from a texture or from memory, where the threads of a workgroup wait for each other (input and
// wait), the sum in workgroup memory or in a register (carry), and a loop over a number of frames that is an argument or its body for each of DEPTH frames
// (depth and body).

#import pass
#import input
#import wait
#import state
#import depth
#import vector
#import carry

override THREADS_X: u32 = 32;
override THREADS_Y: u32 = 8;

fn advance(end: vec2i, j: u32, thread: u32, valid: bool) {
  wait();
  if (!valid) { return; }
  let at = end - back(j);
  if (inside(at)) { hold(thread, run.a * held(thread) + run.b * pixel(j - 1u, at)); } else { hold(thread, 0.0); }
}

@compute @workgroup_size(THREADS_X, THREADS_Y)
fn main(@builtin(global_invocation_id) place: vec3u, @builtin(local_invocation_index) thread: u32) {
  let end = vec2i(place.xy);
  let valid = inside(end);
  let start = end - back(0u);
  hold(thread, 0.0);
  if (valid && inside(start)) { hold(thread, load(number(), start)); }
#import body
  if (valid) {
    var values: array<f32, PIXELS>;
    values[0] = held(thread);
    store(number(), place.xy, values);
  }
}
