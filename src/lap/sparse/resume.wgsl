// Keeps the links that are still tight, leaves rows that are at their limits unassigned, and frees the other rows. A thread has a row.

#import chunks

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  for (var c = settings.firstChunk + workgroup.x; c < settings.firstChunk + settings.chunks; c += workgroups.x) {
    let lap = laps[chunks[c].lap];
    let i = chunks[c].first + thread;
    if (i < lap.rows) { resumeRow(lap, lap.row + i); }
  }
}

fn resumeRow(lap: Lap, row: u32) {
  let stay = limit[row];
  let before = select(-1, columnOfRow[row], settings.warm == 1);
  var least = stay;
  var kept = FREE;
  var own = 0f;
  let arcs = spanOf(row);
  for (var k = arcs.x; k < arcs.y; k++) {
    let reduced = cost[k] - dual[arc[k]];
    least = min(least, reduced);
    if (i32(arc[k] - lap.column) == before) {
      kept = i32(k);
      own = reduced;
    }
  }
  if (kept >= 0) {
    let j = arc[kept];
    if (own - least <= max(TIGHT * (abs(cost[kept]) + abs(dual[j])), settings.slack)) {
      link[row] = kept;
      link[j] = i32(row);
      dual[row] = own;
      return;
    }
  }
  let isAtLimit = stay < FORBIDDEN && stay - least <= max(TIGHT * abs(stay), settings.slack);
  link[row] = select(FREE, LEFT, isAtLimit);
  dual[row] = select(least, stay, isAtLimit);
}
