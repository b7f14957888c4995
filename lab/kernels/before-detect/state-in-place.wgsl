// The state as f32 in one buffer: a trajectory's cell is where it would have started in frame 0, wrapped around the image, and stays there. A
// thread has one pixel. `turned` holds for each vector how far trajectories have moved since frame 0 at the end of the pass, modulo the size.

const PIXELS = 1u;

@group(0) @binding(3) var<storage, read> turned: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> state: array<f32>;

fn cell(v: u32, end: vec2u) -> u32 {
  let size = vec2u(run.width, run.height);
  let start = end + size - turned[v];
  let wrapped = select(start, start - size, start >= size);
  return (v * run.height + wrapped.y) * run.width + wrapped.x;
}
