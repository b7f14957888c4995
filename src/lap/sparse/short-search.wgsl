// Searches of one thread each, with their labels in its own memory.

#import sides

const CAP = 32u;

var<private> partner: array<u32, CAP>;
var<private> nearest: array<f32, CAP>;
var<private> through: array<u32, CAP>;  // the arc of the row
var<private> before: array<u32, CAP>;   // label of the seeker's own partner; NONE for the first seeker's
var<private> labelled: u32;
var<private> scanned: u32;              // a bit for each label
var<private> reach: f32;                // distance of the end
var<private> endPartner: u32;           // NONE where a seeker of the tree stays unassigned
var<private> endThrough: u32;
var<private> endBefore: u32;

// PATH, LONG for too many labels, or LOST where no end can be reached.
fn searchShort(side: u32, first: u32) -> i32 {
  labelled = 0;
  scanned = 0;
  reach = FORBIDDEN;
  endPartner = NONE;
  var seeker = first;
  var at = NONE;
  var least = -FORBIDDEN;
  var offset = 0f;
  loop {
    if (limit[seeker] < FORBIDDEN && max(least, limit[seeker] + offset) < reach) {
      reach = max(least, limit[seeker] + offset);
      endPartner = NONE;
      endBefore = at;
    }
    if (!labelArcs(side, seeker, at, least, offset)) { return LONG; }
    at = NONE;
    var next = reach;
    for (var s = 0u; s < labelled; s++) {
      if ((scanned & (1u << s)) == 0 && nearest[s] < next) {
        next = nearest[s];
        at = s;
      }
    }
    if (at == NONE) { break; }
    scanned |= 1u << at;
    least = next;
    seeker = holderOf(side, partner[at]);
    offset = offsetBeyond(side, partner[at], seeker, least);
  }
  return select(LOST, PATH, reach < FORBIDDEN);
}

// False where the labels do not suffice.
fn labelArcs(side: u32, seeker: u32, held: u32, least: f32, offset: f32) -> bool {
  let arcs = spanOf(seeker);
  for (var a = arcs.x; a < arcs.y; a++) {
    let j = arc[a];
    let k = rowArc(side, seeker, a, j);
    let distance = max(least, cost[k] - dual[j] + offset);
    if (!(distance < reach)) { continue; }
    if (link[j] < 0) {
      reach = distance;
      endPartner = j;
      endThrough = k;
      endBefore = held;
      continue;
    }
    var s = 0u;
    while (s < labelled && partner[s] != j) { s++; }
    if (s == labelled) {
      if (s == CAP) { return false; }
      labelled++;
      partner[s] = j;
    } else if (!(distance < nearest[s]) || (scanned & (1u << s)) != 0) {
      continue;
    }
    nearest[s] = distance;
    through[s] = k;
    before[s] = held;
  }
  return true;
}

fn claimTree(first: u32) {
  for (var s = 0u; s < labelled; s++) { if ((scanned & (1u << s)) != 0) { atomicMax(&claim[partner[s]], ~first); } }
  if (endPartner != NONE) { atomicMax(&claim[endPartner], ~first); }
}

fn ownsTree(first: u32) -> bool {
  for (var s = 0u; s < labelled; s++) {
    if ((scanned & (1u << s)) != 0 && atomicLoad(&claim[partner[s]]) != ~first) { return false; }
  }
  return endPartner == NONE || atomicLoad(&claim[endPartner]) == ~first;
}

fn releaseTree() {
  for (var s = 0u; s < labelled; s++) { if ((scanned & (1u << s)) != 0) { atomicStore(&claim[partner[s]], 0); } }
  if (endPartner != NONE) { atomicStore(&claim[endPartner], 0); }
}

// Moves the tree's duals and links the seekers of the path anew.
fn flipShort(side: u32, first: u32) {
  for (var s = 0u; s < labelled; s++) {
    if ((scanned & (1u << s)) == 0) { continue; }
    dual[partner[s]] -= reach - nearest[s];
    dual[holderOf(side, partner[s])] += reach - nearest[s];
  }
  dual[first] = reach;
  var j = endPartner;
  var k = endThrough;
  var at = endBefore;
  if (j == NONE) {
    leave(side, seekerAt(side, at, first));
    if (at == NONE) { return; }
    j = partner[at];
    k = through[at];
    at = before[at];
  }
  loop {
    connect(side, seekerAt(side, at, first), j, k);
    if (at == NONE) { break; }
    j = partner[at];
    k = through[at];
    at = before[at];
  }
}

fn seekerAt(side: u32, at: u32, first: u32) -> u32 {
  if (at == NONE) { return first; }
  return holderOf(side, partner[at]);
}
