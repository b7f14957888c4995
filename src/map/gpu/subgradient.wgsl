// g = x − Σ y of the last assignments. At detection i it is +1 on the edge the X-LAP leaves by and −1 on the edge the Y-LSAP goes on
// with, so ‖g‖² is twice the number of detections where the two differ. Thread n handles detection first + n; with a step it moves v along g,
// else it counts.
//
// Twin: PairKernels.subgradient and follow in kernels.ts.

override THREADS: u32 = 64;

struct Run {
  step: f32,    // 0 where it only counts
  first: u32,   // detections of inner frames
  end: u32,
}

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(1) var<storage, read> outEdge: array<u32>;
@group(0) @binding(2) var<storage, read> intoEdge: array<u32>;
@group(0) @binding(3) var<storage, read> best: array<u32>;
@group(0) @binding(4) var<storage, read_write> v: array<f32>;
@group(0) @binding(5) var<storage, read_write> differing: array<atomic<u32>>;  // one number

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) thread: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var d = run.first + thread.x; d < run.end; d += workgroups.x * THREADS) { subgradientAt(d); }
}

fn subgradientAt(d: u32) {
  let taken = outEdge[d];
  let continued = best[intoEdge[d]];
  if (taken == continued) { return; }
  if (run.step == 0.0) {
    atomicAdd(&differing[0], 1);
  } else {
    v[taken] += run.step;
    v[continued] -= run.step;
  }
}
