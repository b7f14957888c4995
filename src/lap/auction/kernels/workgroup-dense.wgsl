#import one-workgroup
#import best-of-lanes

// Persons who are not settled, in any order.
@group(0) @binding(7) var<storage, read_write> queue: array<u32>;

var<workgroup> waiting: atomic<u32>;
var<workgroup> choices: array<Choice, THREADS>;

// Collects the persons who are not settled; returns their number.
fn collect(lane: u32) -> u32 {
  if (lane == 0u) {
    atomicStore(&waiting, 0u);
  }
  workgroupBarrier();
  for (var i = lane; i < frame.persons; i += THREADS) {
    if (!settled(i)) {
      queue[atomicAdd(&waiting, 1u)] = i;
    }
  }
  storageBarrier();
  return workgroupUniformLoad(&waiting);
}

// Each person gets as many threads as there are to spare, a power of two.
fn bid(lane: u32, persons: u32) {
  var lanes = 1u;
  while (2u * lanes * persons <= THREADS) {
    lanes *= 2u;
  }
  for (var first = 0u; first < persons; first += THREADS / lanes) {
    let at = first + lane / lanes;
    let part = lane % lanes;
    var choice = Choice(LEAST, 0, NOBODY);
    if (at < persons) {
      choice = choose_of_all(queue[at], part, lanes);
    }
    join_choices(lane, lanes, choice);
    if (at < persons && part == 0u) {
      record(queue[at], choices[lane]);
    }
    workgroupBarrier();
  }
}

@compute @workgroup_size(THREADS)
fn workgroup_dense(@builtin(local_invocation_index) lane: u32) {
  for (var i = lane; i < frame.persons; i += THREADS) {
    wanted[i] = NOBODY;
  }
  var rounds = 0u;
  var left = 0u;
  loop {
    left = collect(lane);
    if (left == 0u || rounds == frame.most_rounds) {
      break;
    }
    bid(lane, left);
    storageBarrier();
    for (var at = lane; at < left; at += THREADS) {
      raise(queue[at]);
    }
    rounds++;
    workgroupBarrier();
  }
  write_answer(lane, rounds, left == 0u);
}
