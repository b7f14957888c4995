#import one-workgroup

// 1 in a round that begins with a person who is not settled; the next round has the other one.
var<workgroup> busy: array<atomic<u32>, 2>;

// All rounds in one workgroup. Each thread keeps the same persons in all of them, so that only prices and the test cross between threads.
@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) lane: u32) {
  for (var i = lane; i < frame.persons; i += THREADS) { wanted[i] = 0; }
  var rounds = 0u;
  var left = 0u;
  loop {
    let turn = rounds & 1;
    for (var i = lane; i < frame.persons; i += THREADS) {
      offer[i] = 0;
      if (!settled(i)) {
        record(i, chooseListed(i));
        atomicStore(&busy[turn], 1);
      }
    }
    left = workgroupUniformLoad(&busy[turn]);
    if (left == 0 || rounds == frame.mostRounds) { break; }
    atomicStore(&busy[1 - turn], 0);
    for (var i = lane; i < frame.persons; i += THREADS) { raise(i); }
    rounds++;
    workgroupBarrier();
  }
  writeAnswer(lane, rounds, left == 0);
}
