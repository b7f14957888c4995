#import ../../../dist/lap/auction/kernels/one-workgroup
#import dense-choice

var<workgroup> waiting: atomic<u32>;
var<workgroup> choices: array<Choice, THREADS>;

// Collects the persons who are not settled, in any order, where the answer will be; returns their number.
fn collect(lane: u32) -> u32 {
  if (lane == 0) { atomicStore(&waiting, 0); }
  workgroupBarrier();
  for (var i = lane; i < frame.persons; i += THREADS) {
    if (!settled(i)) { answer[atomicAdd(&waiting, 1)] = i; }
  }
  storageBarrier();
  return workgroupUniformLoad(&waiting);
}

// Each person gets as many threads as there are to spare, a power of two.
fn bid(lane: u32, persons: u32) {
  var lanes = 1u;
  while (2 * lanes * persons <= THREADS) { lanes *= 2; }
  for (var first = 0u; first < persons; first += THREADS / lanes) {
    let at = first + lane / lanes;
    let part = lane % lanes;
    var choice = Choice(LEAST, 0, 0);
    if (at < persons) { choice = chooseOfAll(answer[at], part, lanes); }
    joinChoices(lane, lanes, choice);
    if (at < persons && part == 0) { record(answer[at], choices[lane]); }
    workgroupBarrier();
  }
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) lane: u32) {
  for (var i = lane; i < frame.persons; i += THREADS) { wanted[i] = 0; }
  var rounds = 0u;
  var left = 0u;
  loop {
    left = collect(lane);
    if (left == 0 || rounds == frame.mostRounds) { break; }
    bid(lane, left);
    storageBarrier();
    for (var at = lane; at < left; at += THREADS) { raise(answer[at]); }
    rounds++;
    workgroupBarrier();
  }
  writeAnswer(lane, rounds, left == 0);
}
