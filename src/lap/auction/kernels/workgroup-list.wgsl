#import one-workgroup

// 1 in a round that begins with a person who is not settled; the next round has the other one.
var<workgroup> busy: array<atomic<u32>, 2>;

// Each thread keeps the same persons in all rounds, so that only prices and the test cross between threads.
@compute @workgroup_size(THREADS)
fn workgroup_list(@builtin(local_invocation_index) lane: u32) {
  for (var i = lane; i < frame.persons; i += THREADS) {
    wanted[i] = NOBODY;
  }
  var rounds = 0u;
  var left = 0u;
  loop {
    let turn = rounds & 1u;
    for (var i = lane; i < frame.persons; i += THREADS) {
      offer[i] = 0u;
      if (!settled(i)) {
        record(i, choose_listed(i));
        atomicStore(&busy[turn], 1u);
      }
    }
    left = workgroupUniformLoad(&busy[turn]);
    if (left == 0u || rounds == frame.most_rounds) {
      break;
    }
    atomicStore(&busy[1u - turn], 0u);
    for (var i = lane; i < frame.persons; i += THREADS) {
      raise(i);
    }
    rounds++;
    workgroupBarrier();
  }
  write_answer(lane, rounds, left == 0u);
}
