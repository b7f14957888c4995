// What the threads of a workgroup agree on, by subgroups: each finds its own, and the first one the least of these.

enable subgroups;
diagnostic(off, subgroup_uniformity);

#import agreed

override SUBGROUP: u32 = 32;
override TEAMS: u32 = THREADS / SUBGROUP;

const MOST = 0xffffffffu;

var<workgroup> agreed: array<Nearest, TEAMS>;
var<private> team: u32;
var<private> lane: u32;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
  @builtin(subgroup_id) subgroup: u32,
  @builtin(subgroup_invocation_id) invocation: u32,
) {
  team = subgroup;
  lane = invocation;
  solveFrom(workgroup.x, workgroups.x, thread);
}

fn leastOf(own: Least, thread: u32) -> Least {
  let found = leastOfSubgroup(own);
  if (lane == 0) { agreed[team] = placed(found); }
  workgroupBarrier();
  var all = Least(MOST, MOST, 0, MOST);
  if (team == 0) {
    for (var k = lane; k < TEAMS; k += SUBGROUP) { all = lesser(all, taken(agreed[k])); }
    all = leastOfSubgroup(all);
  }
  return all;
}

fn leastOfSubgroup(own: Least) -> Least {
  let key = subgroupMin(own.key);
  let rank = subgroupMin(select(MOST, own.rank, own.key == key));
  let isLeast = own.key == key && own.rank == rank;
  let column = subgroupMin(select(MOST, own.column, isLeast));
  return Least(key, rank, column, subgroupMin(min(own.second, select(own.key, MOST, isLeast))));
}

fn nearestOf(own: Nearest, thread: u32) -> Nearest {
  let found = nearestOfSubgroup(own);
  if (lane == 0) { agreed[team] = found; }
  workgroupBarrier();
  var all = Nearest(MOST, MOST, 0, MOST, 0, MOST);
  if (team == 0) {
    for (var k = lane; k < TEAMS; k += SUBGROUP) { all = nearer(all, agreed[k]); }
    all = nearestOfSubgroup(all);
  }
  return all;
}

fn nearestOfSubgroup(own: Nearest) -> Nearest {
  let key = subgroupMin(own.key);
  let rank = subgroupMin(select(MOST, own.rank, own.key == key));
  let column = subgroupMin(select(MOST, own.column, own.key == key && own.rank == rank));
  let openKey = subgroupMin(own.openKey);
  let openRank = subgroupMin(select(MOST, own.openRank, own.openKey == openKey));
  let openColumn = subgroupMin(select(MOST, own.openColumn, own.openKey == openKey && own.openRank == openRank));
  return Nearest(rank, key, column, openKey, openColumn, openRank);
}
