// Joins the neighbours found in the parts of the second set, in their order. A thread handles a descriptor of the first set.

#import match-pieces

@group(0) @binding(0) var<uniform> run: MatchRun;
@group(0) @binding(1) var<storage, read> found: array<Nearest>;
@group(0) @binding(2) var<storage, read_write> nearest: array<Nearest>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) thread: vec3u) {
  let i = thread.x;
  if (i >= run.first) { return; }
  var best = found[i];
  for (var p = 1u; p < run.parts; p++) {
    let other = found[p * run.first + i];
    if (other.best < best.best) {
      best = Nearest(other.index, other.best, min(best.best, other.second));
    } else {
      best.second = min(best.second, other.best);
    }
  }
  nearest[i] = best;
}
